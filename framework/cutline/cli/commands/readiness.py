"""`cutline readiness`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cutline.cli import options
from cutline.cli.guard import guarded
from cutline.cli.output import result
from cutline.errors import EXIT_GOOD, EXIT_NO_GO

if TYPE_CHECKING:
    from cutline.api import SliceReadiness


@guarded
def readiness(
    context: options.Context,
    region: options.Region,
    project: options.Project = Path(),
    json: options.Json = False,
) -> int:
    """Show what is known of a slice before a replay touches production; exit code 1 if a gate is
    red."""
    from cutline.api import Project

    with result() as out:
        gates = Project.open(project).readiness(context, region=region)
        if json:
            out.document(gates.as_json())
        else:
            for line in readiness_lines(gates):
                out.line(line)
        return EXIT_NO_GO if gates.is_red else EXIT_GOOD


def readiness_lines(slice_readiness: SliceReadiness) -> list[str]:
    """The gates for people: colour and reason, what each rests on, and what comes next."""
    context = slice_readiness.context
    lines = [f"readiness of {context}/{slice_readiness.region}"]
    if not slice_readiness.declared:
        lines.append(f"cutline.yaml declares no readiness.{context}: no switch is refused by it")
    lines.append("")
    width = max(len(gate.gate) for gate in slice_readiness.gates)
    for gate in slice_readiness.gates:
        lines.append(f"  {gate.colour:<6}  {gate.gate:<{width}}  {gate.says}")
        indent = f"          {'':<{width}}"
        if gate.at is not None:
            lines.append(f"{indent}by: {gate.command}, at {gate.at:%Y-%m-%d %H:%M}")
        if gate.next_command is not None:
            lines.append(f"{indent}next: {gate.next_command}")
    return lines
