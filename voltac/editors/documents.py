"""The documents that an editor has open, and what workers have found out about their texts.

A text is studied once nobody has typed for a moment, in two questions: the names, which takes some hundredths of a second,
and then, of a program without errors, what its lines became. A change ends what is under way. Workers are processes: a
compilation that takes too long or crashes is a message, and the server goes on.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from voltac.editors.names import KnownNames
from voltac.editors.positions import NO_RANGE
from voltac.editors.questions import (
    Answer,
    Document,
    Message,
    PlaceOutcome,
    Settings,
    ask_for_names,
    ask_for_outcomes,
)
from voltac.explorer.workers import Superseded, WorkerFailed, Workers
from voltac.records import field, mutable_record

_PAUSE = 0.15
"""Seconds without a change before a text is studied."""

Question = Callable[[Settings, Document], Answer]


@mutable_record(eq=False)
class OpenDocument:
    """A document and what is known of its present text."""

    uri: str
    path: str
    text: str
    version: int | None
    names: KnownNames = field(default_factory=KnownNames)
    compiled_names: KnownNames = field(default_factory=KnownNames)
    """Of the last text without errors: while something is typed, the rest is mostly the same."""
    outcomes: list[PlaceOutcome] = field(default_factory=list)
    heading: str = ""
    files: frozenset[str] = frozenset()
    """What was read for it, without links."""
    names_known: asyncio.Event = field(default_factory=asyncio.Event)
    outcomes_known: asyncio.Event = field(default_factory=asyncio.Event)
    study: asyncio.Task[None] | None = None


class Documents:
    """Keeps the open documents, and studies what changes; all methods are called in the event loop."""

    def __init__(
        self,
        workers: Workers,
        settings: Settings,
        words: Sequence[str],
        publish: Callable[[OpenDocument, Sequence[Message]], None],
    ) -> None:
        self.words: tuple[str, ...] = tuple(words)
        self.encoding = "utf-16"
        self.folder_of: Callable[[str], str] = lambda uri: ""
        """What names of files in the options are relative to, for a document."""
        self._workers, self._settings, self._publish = workers, settings, publish
        self._open: dict[str, OpenDocument] = {}
        # A question waits for its process in a thread.
        self._threads = ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 1))

    def get(self, uri: str) -> OpenDocument | None:
        """The document, if it is open."""
        return self._open.get(uri)

    def uri_of(self, path: str) -> str | None:
        """How the client calls the file, if it has it open."""
        return next((one.uri for one in self._open.values() if one.path == path), None)

    def put(self, uri: str, path: str, text: str, version: int | None) -> None:
        """A document was opened, or has another text; those that include it are studied again, too."""
        document = self._open.setdefault(uri, OpenDocument(uri, path, text, version))
        document.path, document.text, document.version = path, text, version
        self._begin(document)
        self.file_changed(path)

    def file_changed(self, path: str) -> None:
        """What a file has was changed: study the documents that include it."""
        real = os.path.realpath(path)
        for document in self._open.values():
            if real in document.files and document.path != path:
                self._begin(document)

    def study_all(self) -> None:
        """The options are others."""
        for document in self._open.values():
            self._begin(document)

    def close(self, uri: str) -> None:
        """The document is no longer open: its messages go."""
        document = self._open.pop(uri, None)
        if document is not None:
            self._stop(document)
            self._publish(document, [])
            # Whoever includes it reads the file from now on.
            self.file_changed(document.path)

    def end(self) -> None:
        """Nothing is asked any more."""
        for document in self._open.values():
            self._stop(document)
        self._workers.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _stop(self, document: OpenDocument) -> None:
        if document.study is not None:
            document.study.cancel()
        for question in (ask_for_names, ask_for_outcomes):
            self._workers.end(_kind(question, document))

    def _begin(self, document: OpenDocument) -> None:
        self._stop(document)
        document.names_known.clear()
        document.outcomes_known.clear()
        document.outcomes = []
        document.study = asyncio.get_running_loop().create_task(self._study(document))

    async def _study(self, document: OpenDocument) -> None:
        await asyncio.sleep(_PAUSE)
        answer = await self._ask(ask_for_names, document)
        if answer is None:
            return
        document.names, document.files = answer.names, frozenset(answer.files)
        document.names_known.set()
        self._publish(document, answer.messages)
        if answer.is_compiled:
            document.compiled_names = answer.names
            whole = await self._ask(ask_for_outcomes, document)
            if whole is None:
                return
            document.outcomes, document.heading = whole.outcomes, whole.heading
            if not whole.is_compiled:
                # What the front end said holds, whatever ended the rest.
                whole.messages = [*answer.messages, *(one for one in whole.messages if one not in answer.messages)]
            self._publish(document, whole.messages)
        document.outcomes_known.set()

    async def _ask(self, question: Question, document: OpenDocument) -> Answer | None:
        """None if the text has changed meanwhile."""
        asked = Document(
            document.path,
            document.text,
            self.folder_of(document.uri),
            self.words,
            self.encoding,
            {os.path.realpath(one.path): one.text for one in self._open.values() if one is not document},
        )
        loop = asyncio.get_running_loop()
        try:
            found: Answer = await loop.run_in_executor(
                self._threads, self._workers.ask, _kind(question, document), question, self._settings, asked
            )
            return found
        except Superseded:
            return None
        except WorkerFailed as failed:
            return Answer([Message(NO_RANGE, "warning", "", f"not all is known of this file: {failed}")])


def _kind(question: Question, document: OpenDocument) -> str:
    return f"{question.__name__} {document.uri}"
