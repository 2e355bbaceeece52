"""``voltac lsp``: the Language Server Protocol on standard input and output, by pygls.

=======================  ====================================================================
``documents.py``         the open documents, studied when they change
``questions.py``         what is asked about one, answered by a worker (``explorer/workers.py``)
``declared_names.py``,   what names and expressions are and where they are declared, from the
``names.py``             compiler's own checks
``hover.py``, ...        an answer to a request each, from what is known
``words.txt``            what is said of the language's words and the library's functions
=======================  ====================================================================
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.exceptions import PyglsError
from pygls.lsp.server import LanguageServer

from voltac.editors.completion import completions
from voltac.editors.documents import Documents, OpenDocument
from voltac.editors.hover import hover
from voltac.editors.outline import document_symbols
from voltac.editors.positions import Range, characters, contains, lines_of
from voltac.editors.questions import Message, Settings
from voltac.editors.signature_help import signature_help
from voltac.explorer.workers import Workers

_SECTION = "voltac"
"""Of the settings of an editor."""
_PATIENCE = 20
"""Seconds that a request waits for what is known of a text that is being studied."""
_PATIENCE_FOR_OUTCOMES = 2
"""The same for what its lines became, which a hover can do without."""
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
}


class _Server(LanguageServer):
    """The connection, and the documents behind it."""

    def __init__(self, version: str, workers: Workers, settings: Settings, words: Sequence[str]) -> None:
        # Whole texts: what divides lines for Python is no end of a line for editors.
        super().__init__(_SECTION, version, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.documents = Documents(workers, settings, words, self.publish)
        self.documents.folder_of = self.folder_of
        self.first_words = tuple(words)
        self.was_told_to_end = False

    # --- options

    def configure(self, settings: object) -> None:
        """Take the options of the editor, behind those of the command line; what is not understood is told."""
        if settings is None or (isinstance(settings, dict) and "options" not in settings):
            return
        words = settings["options"] if isinstance(settings, dict) else None
        if isinstance(words, str):
            with suppress(ValueError):
                words = shlex.split(words)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            text = 'voltac: the settings are an object with "options", a text or a list of texts'
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, text))
            return
        if self.documents.words != (*self.first_words, *words):
            self.documents.words = (*self.first_words, *words)
            self.documents.study_all()

    async def ask_for_settings(self) -> None:
        """Of clients that are to be asked."""
        capabilities = self.client_capabilities.workspace
        if capabilities is not None and capabilities.configuration:
            items = [types.ConfigurationItem(section=_SECTION)]
            with suppress(PyglsError):
                found = await self.workspace_configuration_async(types.ConfigurationParams(items))
                self.configure(found[0] if found else None)

    def folder_of(self, uri: str) -> str:
        """The folder of the workspace that a document is in; empty outside of all."""
        roots = [*self.workspace.folders, *([self.workspace.root_uri] if self.workspace.root_uri else [])]
        around = [root for root in roots if uri.startswith(root.rstrip("/") + "/")]
        return uris.to_fs_path(max(around, key=len)) or "" if around else ""

    # --- messages

    def publish(self, document: OpenDocument, messages: Sequence[Message]) -> None:
        """Show the messages of a document, in place of those before."""
        told = [self._diagnostic(document, one) for one in messages]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, told, document.version))

    def _diagnostic(self, document: OpenDocument, message: Message) -> types.Diagnostic:
        related = [
            types.DiagnosticRelatedInformation(types.Location(self.uri_of(file), range_of(range)), text)
            for file, range, text in message.related
        ]
        text = message.text
        capabilities = self.client_capabilities.text_document
        shown = capabilities.publish_diagnostics if capabilities is not None else None
        if shown is None or not shown.related_information:
            text = "\n".join([text, *(one.message for one in related)])
            related = []
        return types.Diagnostic(
            range=range_of(message.range),
            message=text,
            severity=_SEVERITIES[message.severity],
            code=message.code or None,
            source="voltac",
            related_information=related or None,
        )

    def uri_of(self, path: str) -> str:
        """As the client calls it, if it has it open."""
        # An included file may be named by way of another folder.
        path = os.path.realpath(path) if ".." in path else path
        return self.documents.uri_of(path) or uris.from_fs_path(path) or ""

    # --- requests

    async def known(self, identifier: types.TextDocumentIdentifier) -> OpenDocument | None:
        """A document whose names are known, as it is now; None if it is not open, or too large to be known in time."""
        document = self.documents.get(identifier.uri)
        if document is not None:
            try:
                await asyncio.wait_for(document.names_known.wait(), _PATIENCE)
            except TimeoutError:
                return None
        return document

    @property
    def encoding(self) -> str:
        """How the client counts columns."""
        return str(self.workspace.position_encoding or "utf-16")


def range_of(range: Range) -> types.Range:
    """As the protocol has it."""
    return types.Range(types.Position(*range[:2]), types.Position(*range[2:]))


def serve(version: str, workers: Workers, settings: Settings, words: Sequence[str]) -> int:
    """Serve until the client ends; the exit code: 0 if it said so before."""
    server = _Server(version, workers, settings, words)
    _follow_documents(server)
    _answer_requests(server)
    # What anything else prints is no message of the protocol.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as stdout:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        server.start_io(stdout=stdout)
    server.documents.end()
    return 0 if server.was_told_to_end else 1


def _follow_documents(server: _Server) -> None:
    documents = server.documents

    @server.feature(types.INITIALIZE)
    def begin(params: types.InitializeParams) -> None:
        documents.encoding = server.encoding
        server.configure(params.initialization_options)

    @server.feature(types.INITIALIZED)
    async def begun(_: types.InitializedParams) -> None:
        await server.ask_for_settings()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: types.DidChangeConfigurationParams) -> None:
        settings: Any = params.settings
        own = settings.get(_SECTION) if isinstance(settings, dict) else getattr(settings, _SECTION, None)
        if own is not None:
            server.configure(own)
        else:
            await server.ask_for_settings()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        changed(params.text_document.uri, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def edited(params: types.DidChangeTextDocumentParams) -> None:
        changed(params.text_document.uri, params.text_document.version)

    def changed(uri: str, version: int | None) -> None:
        # A document that was never saved has no place, and includes nothing beside it.
        path = uris.to_fs_path(uri) or uri.rpartition(":")[2] or "untitled"
        documents.put(uri, path, server.workspace.get_text_document(uri).source, version)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        documents.file_changed(uris.to_fs_path(params.text_document.uri) or "")

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        documents.close(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    def ended(_: None) -> None:
        server.was_told_to_end = True


def _answer_requests(server: _Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(params: types.HoverParams) -> types.Hover | None:
        document = await server.known(params.text_document)
        if document is None:
            return None
        with suppress(TimeoutError):
            await asyncio.wait_for(document.outcomes_known.wait(), _PATIENCE_FOR_OUTCOMES)
        line, column = params.position.line, params.position.character
        lines = lines_of(document.text)
        if line >= len(lines):
            return None
        found = hover(document, line, column, characters(lines[line], column, server.encoding))
        if found is None:
            return None
        text, range = found
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), range_of(range))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> types.Location | None:
        document = await server.known(params.text_document)
        if document is None:
            return None
        line, column = params.position.line, params.position.character
        for range, file in document.names.includes:
            if contains(range, line, column):
                return types.Location(server.uri_of(file), range_of((0, 0, 0, 0)))
        named = document.names.at(line, column)
        if named is None or named[1].place is None or not named[1].file:
            return None
        return types.Location(server.uri_of(named[1].file), range_of(named[1].place))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = await server.known(params.text_document)
        return document_symbols(document) if document is not None else []

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", ">", "#"]))
    def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        # From what is known already: nobody waits while typing.
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return []
        return completions(document, params.position.line, params.position.character, server.encoding)

    @server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(trigger_characters=["(", ","]))
    def signatures(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return None
        return signature_help(document, params.position.line, params.position.character, server.encoding)
