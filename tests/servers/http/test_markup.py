"""Knowing Markup over HTTP, and through both clients: the same values as in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from recollect import AsOf, RecollectError, client
from recollect.faces.markup import Functions, Markup
from recollect.kernel import Nexus
from recollect.servers.http.app import make_app
from recollect.servers.http.guard import Options
from recollect.servers.http.tokens import AccessTokens
from recollect.servers.service import make_service

LION = "- ID: new-1 [created]\n  Label: Lion\n"


def functions() -> Functions:
    made = Functions()
    made.register("callMe", lambda given, _: {"to": given["To"]}, arguments={"To": "email"})
    return made


@pytest.fixture
def service(nexus: Nexus):
    return make_service(nexus, has_worker=False, functions=functions())


@pytest.fixture
def here(nexus: Nexus) -> Markup:
    Markup(nexus.group("decoy")).load("- ID: 1\n  Label: Decoy\n")
    markup = Markup(nexus, functions=functions())
    markup.publish("callMe")
    return markup


@pytest.fixture
def there(http, stage, here) -> Iterator[client.Markup]:
    del http, here  # the server is up, and has its function
    with client.Markup(stage.url) as markup:
        yield markup


def refused(call) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        call()
    return caught.value


def test_a_client_has_the_methods_and_the_values_of_the_face(there, here):
    applied = there.apply(LION, dry_run=True)
    assert applied == here.apply(LION, dry_run=True)
    applied = there.apply(LION)
    id = applied.ids["new-1"]
    assert there.render() == here.render()
    assert there.render(id, budget=100, attention=id) == here.render(id, budget=100, attention=id)
    assert there.spaces() == here.spaces()
    assert there.places(id) == here.places(id)
    then = AsOf(transaction=applied.transaction - 1)
    assert there.render(as_of=then) == here.render(as_of=then)
    assert there.set_read_only(id) == here.nexus.stats().transactions
    assert refused(lambda: there.apply(f"- ID: {id} [deleted]\n")).code.code == "KM_3003"
    there.set_read_only(id, False)
    there.apply(f"- ID: {id} [deleted]\n")
    restored = there.restore(id, transaction=applied.transaction)
    assert [one.id for one in restored.changes] == [id]
    assert there.purge(id).concepts >= 1
    assert there.load("- ID: lion\n  Label: Lion\n").changes[0].id == "lion"
    assert there.check("- Node")[0].code == "KM_1003"


def test_exchanges_and_runs_go_over_the_wire(there, here):
    id = there.apply(LION).ids["new-1"]
    begun = there.exchanges.begin("What?", root=id, functions=["callMe"], messages=("m",))
    assert begun == here.exchanges.get(begun.id) == there.exchanges.get(begun.id)
    text = 'Context: command\nResponse: action\nAction: callMe {"To": "a@b.c"}\n'
    done = there.exchanges.answer(begun.id, text)
    assert done.calls[0].result == {"to": "a@b.c"}
    assert there.exchanges.list() == here.exchanges.list() == (done,)
    there.load("- WORKFLOW ID: w\n  - ID: s\n    Label: Step\n")
    run = there.runner.start("w")
    assert run == here.runner.get(run.id)
    run = there.runner.reply(run.id, "Context: workflow\nResponse: data\n")
    assert run.state == "finished"
    assert there.runner.list() == (run,)
    assert there.runner.get(run=run.id) == run
    for call in (there.runner.resume, there.runner.skip, there.runner.cancel):
        assert refused(lambda call=call: call(run.id)).code.code == "KM_2006"


@pytest.mark.usefixtures("http")
def test_the_same_is_to_be_awaited(stage, here):
    async def run() -> None:
        async with client.AsyncMarkup(stage.url) as markup:
            applied = await markup.apply(LION)
            assert (await markup.render()).text == here.render().text
            begun = await markup.exchanges.begin("What?", root=applied.ids["new-1"])
            assert await markup.exchanges.list() == (begun,)

    asyncio.run(run())


def test_what_a_server_cannot_be_asked_is_refused_here(there):
    assert refused(lambda: there.render(counter=len)).code.code == "INVALID_ARGUMENT"
    assert refused(lambda: there.render(as_of=AsOf(known=1))).code.code == "INVALID_ARGUMENT"


def test_the_paths_are_those_that_are_documented(http):
    applied = http.post("/v1/markup/apply", json={"text": LION}).json()
    assert applied["status"] == "OK"
    id = applied["output"]["ids"]["new-1"]
    shown = http.get("/v1/markup/document", params={"root": id, "budget": 100, "depth": 1}).json()
    assert f"- BRANCH ID: {id}" in shown["output"]["text"]
    assert http.get("/v1/markup/places", params={"id": id}).json()["output"]["places"]
    begun = http.post("/v1/markup/exchanges", json={"prompt": "What?", "root": id}).json()["output"]
    assert {"exchange_id", "request", "outcome"} <= begun.keys()
    answer = f"/v1/markup/exchanges/{begun['exchange_id']}/answer"
    done = http.post(answer, json={"text": "Context: command\nResponse: no-data-available"})
    assert done.json()["output"]["outcome"] == "no-data-available"
    assert (
        http.get(f"/v1/markup/exchanges/{begun['exchange_id']}").json()["output"]["attempts"] == 1
    )


def test_an_error_has_its_own_code_its_place_and_all_its_faults(http):
    answer = http.post("/v1/markup/apply", json={"text": "- ID: 1 [new]\n- Node\n"})
    error = answer.json()["error"]
    assert (answer.status_code, error["error_code"]) == (400, "KM_1006")
    assert (error["details"]["line"], len(error["details"]["errors"])) == (1, 2)
    assert http.get("/v1/markup/places", params={"id": "x"}).status_code == 404


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("apply", {}),
        ("apply", {"text": 3}),
        ("apply", {"text": "", "tekst": ""}),
        ("load", {"text": "", "ids": "none"}),
        ("exchanges/x/answer", {"id": "y", "text": ""}),
    ],
)
def test_a_field_that_does_not_fit_is_named(http, path, body):
    answer = http.post(f"/v1/markup/{path}", json=body)
    assert (answer.status_code, answer.json()["error"]["error_code"]) == (400, "INVALID_ARGUMENT")


def test_the_calls_are_described_and_counted(http):
    paths = http.get("/openapi.json").json()["paths"]
    assert "/v1/markup/exchanges/{id}/answer" in paths
    apply = paths["/v1/markup/apply"]["post"]
    assert apply["requestBody"]["content"]["application/json"]["example"]["text"] == LION
    http.post("/v1/markup/check", json={"text": "- ID: 1"})
    assert 'operation="MarkupCheck"' in http.get("/metrics").text


def test_a_token_sees_its_own_groups_alone(stage, nexus, metrics):
    stage.app = make_app(
        make_service(nexus, has_worker=False), Options(tokens=AccessTokens()), metrics
    )
    Markup(nexus.group("decoy")).load("- ID: 1\n  Label: Decoy\n")
    with client.Markup(stage.url, group="default") as markup:
        assert "Decoy" not in markup.render().text
    with client.Markup(stage.url, group="decoy") as markup:
        assert "Decoy" in markup.render().text


def test_hints_say_what_is_sent(there):
    assert refused(lambda: there.render("77")).hint == "GET /v1/markup/document"
    assert refused(lambda: there.runner.get("77")).hint == "GET /v1/markup/runs"
    there.load("- ID: lion\n  Label: Lion\n")
    error = refused(lambda: there.load("- ID: lion\n  Label: Owl\n"))
    assert error.hint == "give ids: fresh"
    assert [one["hint"] for one in error.details["errors"]] == [error.hint]
