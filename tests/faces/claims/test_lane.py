from __future__ import annotations

import asyncio
import os
import threading
from contextvars import ContextVar

import pytest

from recollect.faces.claims.stores import Lane


def test_calls_run_one_after_another_in_the_order_they_came() -> None:
    lane, told = Lane(), list[tuple[int, int]]()

    def tell(number: int) -> None:
        told.append((number, threading.get_ident()))

    async def tell_all() -> None:
        await asyncio.gather(*(lane.run(tell, number) for number in range(50)))

    asyncio.run(tell_all())
    asyncio.run(tell_all())  # another loop, the same thread
    assert [number for number, _ in told] == [*range(50), *range(50)]
    assert len({thread for _, thread in told}) == 1
    lane.close()


def test_a_call_runs_in_the_context_of_its_task_and_raises_what_it_raises() -> None:
    lane, who = Lane(), ContextVar("who", default="nobody")

    async def ask() -> str:
        who.set("ann")
        return await lane.run(who.get)

    assert asyncio.run(ask()) == "ann"
    with pytest.raises(ZeroDivisionError):
        asyncio.run(lane.run(divmod, 1, 0))
    lane.close()


def test_a_cancelled_task_takes_its_call_back_unless_that_has_begun() -> None:
    lane, told = Lane(), list[str]()
    has_begun, may_end = threading.Event(), threading.Event()

    def slow() -> None:
        has_begun.set()
        may_end.wait(10)
        told.append("slow")

    async def cancel_both() -> None:
        running = asyncio.create_task(lane.run(slow))
        waiting = asyncio.create_task(lane.run(told.append, "waited"))
        await asyncio.to_thread(has_begun.wait, 10)
        for task in (running, waiting):
            task.cancel()
        await asyncio.gather(running, waiting, return_exceptions=True)
        may_end.set()

    asyncio.run(cancel_both())
    lane.close()
    assert told == ["slow"]


def test_closing_ends_the_thread_and_a_later_call_begins_another() -> None:
    lane = Lane()
    first = asyncio.run(lane.run(threading.current_thread))
    lane.close()
    assert not first.is_alive()
    lane.close()
    assert asyncio.run(lane.run(max, 1, 2)) == 2
    lane.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_a_thread_of_its_own() -> None:
    lane = Lane()
    asyncio.run(lane.run(max, 1, 2))
    child = os.fork()
    if not child:
        code = 1
        try:
            code = 0 if asyncio.run(asyncio.wait_for(lane.run(max, 3, 4), 10)) == 4 else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    lane.close()
