"""Live topics in files, by the bytes of each partition's file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from cutline.feed.tail import POSITION, PartitionEnds, TailPart
from cutline.project.loaded import LoadedProject
from cutline.project.topics import FileTopicsSection
from cutline.readmodels import Place
from cutline.results import ExtractResult, FileRead
from cutline.topics.names import live
from cutline.topics.partition_file import PartitionFile, partition_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from cutline.control import RunRecord

_CHUNK_BYTES = 1 << 20


class FileTail:
    """The live topics of a context in files. A position is that of a byte, at which a line begins.

    Whoever writes them puts whole lines behind what is there.
    """

    def __init__(self, project: LoadedProject, context: str) -> None:
        section = project.file.topics
        assert isinstance(section, FileTopicsSection)
        names = project.file.contexts[context].live.aggregates
        self.aggregates: Mapping[str, str] = {
            live(section.prefix, context, name): name for name in names
        }
        self._root = Path(project.path(section.path).removeprefix("file://"))

    def ends(self) -> Mapping[Place, PartitionEnds]:
        """A last line without its end is not there yet."""
        return {
            place: PartitionEnds("", 0, _line_start(file.path, file.path.stat().st_size))
            for place, file in self._files().items()
        }

    def starts(self, record: RunRecord) -> Mapping[Place, PartitionEnds]:
        """As far as the extract of the run says: it may have read further. So also where a file is
        gone or shorter now, which then ends before what was read of it."""
        result = record.result_of(ExtractResult)
        files, starts = self._files(), {}
        for topic, aggregate in self.aggregates.items():
            for read in () if result is None else result.files.get(f"live:{aggregate}", ()):
                place = topic, int(Path(read.name).stem)
                starts[place] = PartitionEnds("", 0, _read_end(files.get(place), read))
        return starts

    def part(
        self, starts: Mapping[Place, int], ends: Mapping[Place, PartitionEnds], limit: int
    ) -> TailPart:
        files, after, count, left = self._files(), dict(starts), 0, 0
        for place, start in sorted(starts.items()):
            lines = 0
            with files[place].path.open("rb") as file:
                file.seek(start)
                while after[place] < ends[place].end and count + lines < limit:
                    after[place] += len(file.readline())
                    lines += 1
            count += lines
            left += _line_count(files[place].path, after[place], ends[place].end)
        return TailPart(starts, after, count, left)

    def records(
        self,
        spark: SparkSession,
        part: TailPart,
        scratch: str,  # noqa: ARG002
    ) -> DataFrame:
        """The lines go to Spark from here: `scratch` stays empty."""
        from cutline.topics.lines import records_of_lines

        files, rows = self._files(), []
        for place, start in part.starts.items():
            with files[place].path.open("rb") as file:
                position = file.seek(start)
                while position < part.after[place]:
                    line = file.readline()
                    text = line.removesuffix(b"\n").decode(errors="replace")
                    rows.append((*place, position, text))
                    position += len(line)
        schema = f"topic string, partition int, {POSITION} bigint, line string"
        return records_of_lines(spark.createDataFrame(rows, schema), POSITION)

    def _files(self) -> dict[Place, PartitionFile]:
        return {
            (topic, file.number): file
            for topic in self.aggregates
            for file in partition_files(self._root / topic)
        }


def _read_end(file: PartitionFile | None, read: FileRead) -> int:
    """The position behind the last whole line that a run read; behind all that it read where the
    file does not hold that any more."""
    if file is None or file.path.stat().st_size < read.bytes:
        return read.bytes
    return _line_start(file.path, read.bytes)


def _line_start(path: Path, end: int) -> int:
    """The position behind the last whole line that ends before a position."""
    with path.open("rb") as file:
        while end > 0:
            begin = max(0, end - _CHUNK_BYTES)
            file.seek(begin)
            last = file.read(end - begin).rfind(b"\n")
            if last >= 0:
                return begin + last + 1
            end = begin
    return 0


def _line_count(path: Path, start: int, end: int) -> int:
    """The lines from a position to before another."""
    lines = 0
    with path.open("rb") as file:
        file.seek(start)
        while start < end:
            piece = file.read(min(_CHUNK_BYTES, end - start))
            lines += piece.count(b"\n")
            start += len(piece)
    return lines
