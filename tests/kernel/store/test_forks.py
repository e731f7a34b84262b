"""Memories that are open while their process forks; each case in an interpreter of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.kernel.store.sqlite.store import SqliteStore
from together import ENVIRONMENT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")

BEGIN = """
import os, sys, threading
from recollect.errors import RecollectError
from recollect.kernel.store.sqlite import forks
from recollect.kernel.store.sqlite.store import SqliteStore

store = SqliteStore(sys.argv[1])

def add(store):
    with store.writing() as session:
        session.rows("UPDATE counter SET last_n = last_n + 1")

def refused(action):
    try:
        action()
    except RecollectError as error:
        return error.code.code
    return None

def in_child(action):
    child = os.fork()
    if child == 0:
        threading.Timer(30, os._exit, [3]).start()  # rather than hang
        os._exit(0 if action() else 1)
    return child

def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

add(store)
with store.reading() as session:
    session.rows("SELECT 1")
"""


def run(path: Path, script: str) -> None:
    # Python itself warns of every fork beside a thread, which is what some of these do.
    quiet = ("-W", "error", "-W", "ignore::DeprecationWarning")
    command = [sys.executable, *quiet, "-c", BEGIN + script, str(path)]
    ran = subprocess.run(
        command, timeout=60, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def counted(path: Path) -> object:
    store = SqliteStore(path)
    with store.reading() as session:
        ((count,),) = session.rows("SELECT last_n FROM counter")
        assert session.rows("PRAGMA integrity_check") == [("ok",)]
    store.close()
    return count


@pytest.mark.parametrize("child_uses", ["store", "SqliteStore(sys.argv[1])"])
def test_what_a_child_writes_stays_when_its_parent_closes_the_file(
    tmp_path: Path, child_uses: str
) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        f"""
closed, writing = os.pipe(), os.pipe()
def write():
    own = {child_uses}
    add(own)
    os.write(writing[1], b"1")
    os.read(closed[0], 1)
    for _ in range(50):
        add(own)
    return True
child = in_child(write)
os.read(writing[0], 1)
store.close()
again = SqliteStore(sys.argv[1])  # of itself it would take the log for left over
add(again)
again.close()
os.write(closed[1], b"1")
third = SqliteStore(sys.argv[1])
for _ in range(50):
    add(third)
assert ended(child) == 0
third.close()
""",
    )
    assert counted(path) == 1 + 1 + 1 + 50 + 50


def test_a_process_may_fork_while_its_threads_read_write_and_open(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
is_over, counts = threading.Event(), [0]
def write():
    while not is_over.is_set():
        add(store)
        counts[0] += 1
def read():
    while not is_over.is_set():
        with store.reading() as session:
            session.rows("SELECT last_n FROM counter")
def come_and_go():
    while not is_over.is_set():
        thread = threading.Thread(target=lambda: store.reader())
        thread.start()
        thread.join()
        SqliteStore(sys.argv[1]).close()
threads = [threading.Thread(target=one) for one in (write, read, come_and_go)]
for thread in threads:
    thread.start()
def write_thrice():
    for _ in range(3):
        add(store)
    return True
for _ in range(20):
    assert ended(in_child(write_thrice)) == 0
is_over.set()
for thread in threads:
    thread.join()
with store.reading() as session:
    assert session.rows("SELECT last_n FROM counter") == [(1 + counts[0] + 20 * 3,)]
store.close()
""",
    )


def test_a_child_that_is_forked_inside_a_write_is_refused_and_harms_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
def write_and_fork():
    with store.writing() as session:
        session.rows("UPDATE counter SET last_n = last_n + 1")
        child = os.fork()
        if child == 0:
            assert refused(lambda: session.rows("SELECT 1")) == "STORE_CLOSED"
            assert refused(lambda: add(store)) == "STORE_UNAVAILABLE"
            assert refused(lambda: SqliteStore(sys.argv[1])) == "STORE_UNAVAILABLE"
            assert refused(lambda: SqliteStore(":memory:")) == "STORE_UNAVAILABLE"
            if fails:
                raise SystemExit(0)
        else:
            assert ended(child) == (0 if fails else 4)
for fails in (True, False):
    if refused(write_and_fork) == "STORE_CLOSED":  # the child cannot commit
        store.close()
        raise SystemExit(4)
add(store)
store.close()
""",
    )
    assert counted(path) == 4


def test_a_block_that_reads_does_not_cross_a_fork_and_ends_quietly(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
with store.reading() as session:
    session.rows("SELECT last_n FROM counter")
    child = os.fork()
    if child == 0:
        assert refused(lambda: session.rows("SELECT 1")) == "STORE_CLOSED"
        assert refused(lambda: session.row("SELECT 1")) == "STORE_CLOSED"
        add(store)
    else:
        assert ended(child) == 0
        assert session.rows("SELECT last_n FROM counter") == [(1,)]
if child:
    add(store)
store.close()
""",
    )
    assert counted(path) == 3


def test_a_child_is_refused_where_a_thread_stays_inside_a_write_for_too_long(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
forks._WAIT_SECONDS = 0.1
inside, may_end = threading.Event(), threading.Event()
def write_long():
    with store.writing() as session:
        session.rows("UPDATE counter SET last_n = last_n + 1")
        inside.set()
        may_end.wait()
thread = threading.Thread(target=write_long)
thread.start()
inside.wait()
assert ended(in_child(lambda: refused(lambda: add(store)) == "STORE_UNAVAILABLE")) == 0
may_end.set()
thread.join()
assert ended(in_child(lambda: refused(lambda: add(store)) is None)) == 0
store.close()
""",
    )
    assert counted(path) == 3


def test_a_child_is_refused_and_does_not_hang_where_other_threads_have_read_too(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
forks._WAIT_SECONDS = 0.05
is_over, has_read = threading.Event(), threading.Event()
def read_and_stay():  # its connection goes with it, before the child can look at anything
    with store.reading() as session:
        session.rows("SELECT 1")
    has_read.set()
    is_over.wait()
def be_inside():
    with store.reading() as session:
        session.rows("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c "
                     "WHERE x < 3000000) SELECT count(*) FROM c")
    is_over.set()
threads = [threading.Thread(target=one) for one in (read_and_stay, be_inside)]
for thread in threads:
    thread.start()
has_read.wait()
written = 1
def write_or_be_refused():
    code = refused(lambda: add(store))
    os._exit({None: 5, "STORE_UNAVAILABLE": 6}[code])
while not is_over.is_set():
    code = ended(in_child(write_or_be_refused))
    assert code in (5, 6), code
    written += code == 5
for thread in threads:
    thread.join()
with store.reading() as session:
    assert session.rows("SELECT last_n FROM counter") == [(written,)]
store.close()
""",
    )


def test_a_store_that_is_dropped_in_a_cycle_is_closed_in_the_child_as_well(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
import gc
gc.disable()
class Slow:
    def __del__(self):
        collecting.set()
        has_forked.wait()
class Owner:
    pass
def make_garbage():
    one = Owner()
    one.itself, one.slow, one.store = one, Slow(), SqliteStore(sys.argv[1])
    add(one.store)
collecting, has_forked, closed = threading.Event(), threading.Event(), os.pipe()
make_garbage()
thread = threading.Thread(target=gc.collect)
thread.start()
collecting.wait()
def write():
    add(store)
    os.read(closed[0], 1)
    for _ in range(20):
        add(store)
    return True
child = in_child(write)
has_forked.set()
thread.join()
store.close()
SqliteStore(sys.argv[1]).close()
os.write(closed[1], b"1")
assert ended(child) == 0
""",
    )
    assert counted(path) == 1 + 1 + 1 + 20


def test_a_fork_does_not_wait_for_a_block_that_waits_for_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
forks._WAIT_SECONDS = 60.0  # longer than this may take
reading, is_over = threading.Event(), threading.Event()
def write_inside_a_snapshot():
    while not is_over.is_set():
        with store.reading() as session:
            session.rows("SELECT 1")
            reading.set()
            add(store)
thread = threading.Thread(target=write_inside_a_snapshot)
thread.start()
reading.wait()
for _ in range(10):
    assert ended(in_child(lambda: refused(lambda: add(store)) is None)) == 0
is_over.set()
thread.join()
store.close()
""",
    )


def test_two_threads_that_fork_at_once_do_not_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
forks._WAIT_SECONDS = 60.0
both = threading.Barrier(2)
def fork_inside_a_block():
    with store.reading() as session:
        session.rows("SELECT 1")
        both.wait()
        codes.append(ended(in_child(lambda: refused(lambda: add(store)) is None)))
codes = []
threads = [threading.Thread(target=fork_inside_a_block) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert codes == [0, 0]
store.close()
""",
    )
    assert counted(path) == 3


def test_a_part_of_a_write_that_a_child_inherits_is_refused_like_the_whole(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
def write_in_parts():
    with store.together():
        add(store)
        with store.writing() as session:
            child = os.fork()
            if child == 0:
                assert refused(session.version) == "STORE_CLOSED"
                assert refused(lambda: add(store)) == "STORE_UNAVAILABLE"
            else:
                assert ended(child) == 4
if refused(write_in_parts) == "STORE_CLOSED":
    raise SystemExit(4)
store.close()
""",
    )
    assert counted(path) == 2


def test_a_child_of_a_backup_leaves_the_copy_alone(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
def fork_once(*_):
    if not children:
        children.append(in_child(lambda: refused(lambda: add(store)) == "STORE_UNAVAILABLE"))
children = []
store.back_up(sys.argv[1] + ".copy", fork_once)
assert ended(*children) == 0
copy = SqliteStore(sys.argv[1] + ".copy")
with copy.reading() as session:
    assert session.rows("SELECT last_n FROM counter") == [(1,)]
copy.close()
store.close()
""",
    )


def test_a_child_collects_garbage_where_a_thread_of_its_parent_had_paused_that(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
import gc
from recollect.kernel.store.sharing import uncollected
paused, may_end = threading.Event(), threading.Event()
def pause():
    with uncollected(1_000_000):
        paused.set()
        may_end.wait()
thread = threading.Thread(target=pause)
thread.start()
paused.wait()
assert not gc.isenabled()
assert ended(in_child(gc.isenabled)) == 0
may_end.set()
thread.join()
assert gc.isenabled()
store.close()
""",
    )


def test_a_child_has_locks_of_its_own_for_what_threads_share(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
from recollect.kernel.store.sharing import Cache
cache = Cache(2)
has_it, may_end = threading.Event(), threading.Event()
def keep_it():
    with cache._lock:
        has_it.set()
        may_end.wait()
thread = threading.Thread(target=keep_it)
thread.start()
has_it.wait()
def keep_a_value():
    cache.keep(1, "one")
    return cache.find(1) == "one"
assert ended(in_child(keep_a_value)) == 0
may_end.set()
thread.join()
store.close()
""",
    )


def test_a_child_of_a_child_writes_too(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
def write_and_fork():
    add(store)
    grandchild = in_child(lambda: refused(lambda: add(store)) is None)
    store.close()
    return ended(grandchild) == 0
assert ended(in_child(write_and_fork)) == 0
store.close()
""",
    )
    assert counted(path) == 3


def test_a_signal_during_a_fork_leaves_nothing_open_and_no_signal_blocked(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    run(
        path,
        """
import signal
class Alarm(Exception):
    pass
def raise_alarm(*_):
    raise Alarm
signal.signal(signal.SIGALRM, raise_alarm)
before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
sys.unraisablehook = lambda _: None  # what a hook raises is shown, and no error
def use():
    if forks.FORKS.forking:
        return False
    add(store)
    return signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
for microseconds in range(1, 400, 4):
    children = []
    try:
        signal.setitimer(signal.ITIMER_REAL, microseconds / 1_000_000)
        children.append(os.fork())
        if children == [0]:
            signal.setitimer(signal.ITIMER_REAL, 0)
            os._exit(0 if refused(use) in (None, "STORE_UNAVAILABLE") and use() else 1)
    except Alarm:
        if children == [0]:
            os._exit(0)
    try:
        while signal.getitimer(signal.ITIMER_REAL)[0]:
            pass
    except Alarm:
        pass
    for child in children:
        assert ended(child) == 0, microseconds
    assert use()
store.close()
""",
    )
