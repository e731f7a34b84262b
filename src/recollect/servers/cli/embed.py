"""The command that makes the vectors a memory lacks."""

from __future__ import annotations

from recollect.servers.cli.output import output
from recollect.servers.cli.progress import told
from recollect.servers.cli.render import counted
from recollect.servers.settings import Settings
from recollect.servers.wiring import open_nexus, require_group


def make_vectors(database: str | None, group: str | None, *, as_json: bool) -> None:
    """Embed what has no vector, in one group or in all, and say how much it was."""
    settings = Settings()
    with (
        output(as_json=as_json) as out,
        open_nexus(settings.database(database), settings.group(group)) as nexus,
    ):
        names = nexus.groups()
        if group is not None:
            require_group(nexus)
            names = [nexus.group_name]
        nexus.vectors.check_embedder()
        out.if_stopped = "what is embedded by now is kept; run it again for the rest"
        with told(out) as progress:
            embedded = {one: nexus.group(one).vectors.reindex(progress).embedded for one in names}
        model, total = nexus.vectors.model, sum(embedded.values())
        if out.as_json:
            out.json({"result": {"model": model, "embedded": total, "groups": embedded}})
            return
        of = f" of {counted(len(names), 'group')}" if group is None else ""
        out.say(f"embedded {counted(total, 'element')}{of} with {model}", "green")
