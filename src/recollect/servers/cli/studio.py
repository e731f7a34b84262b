"""The command that shows a memory in the browser until it is stopped."""

from __future__ import annotations

import webbrowser

from recollect.servers.cli.loading import require
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import output
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus


def show_studio(on: Invocation, port: int | None, *, is_read_only: bool, opens: bool) -> None:
    """Open the memory, listen on this machine alone, open the browser, and serve the pages."""
    settings = Settings()
    with output(on) as out:
        require("fastapi", "studio", "the studio")
        require("jinja2", "studio", "the studio")
        from recollect.servers.http.front import health_face
        from recollect.servers.http.guard import Options
        from recollect.servers.http.logs import Form
        from recollect.servers.http.server import listen, url_of
        from recollect.servers.http.serving import ServingPlan, serve_nexus
        from recollect.servers.learning import make_learner
        from recollect.servers.studio import studio_face

        located = settings.database(on.database)
        plan = ServingPlan(
            Options(is_studio_read_only=is_read_only), has_worker=not is_read_only, log=Form.NONE
        )
        learner = make_learner(settings.learning())
        with (
            open_nexus(located, settings.group(on.group), create=not is_read_only) as nexus,
            listen("127.0.0.1", settings.port(port)) as listener,
        ):
            url = url_of(listener)

            def begun() -> None:
                out.give_json({"url": url, "path": located.shown})
                out.say(f"{located.shown} is open at {url}; Ctrl-C ends it", "green")
                if opens:
                    webbrowser.open(url)

            makers = (studio_face, health_face)
            serve_nexus(nexus, plan, listener, begun, learner.extractor, makers)
