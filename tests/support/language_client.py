"""A running ``voltac lsp`` and an editor that talks to it: a client of pygls in a thread, asked from tests that wait."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

T = TypeVar("T")
_SECONDS = 60.0


class Editor:
    """A client with a folder as its workspace; ``words`` are options of the command, ``settings`` those of the editor."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        settings: object = None,
        asked_settings: object = None,
        encodings: list[types.PositionEncodingKind | str] | None = None,
        related: bool = True,
    ) -> None:
        self.folder = folder
        self.messages: list[str] = []
        self.published: dict[str, list[types.PublishDiagnosticsParams]] = {}
        self._versions: dict[str, int] = {}
        self.asked_settings = asked_settings
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.client = LanguageClient("editor of the tests", "1")
        self._listen()
        command = ["-m", "voltac", "lsp", "--target=avx2-i32x8", *words]
        self.run(self.client.start_io(sys.executable, *command, cwd=str(folder)))
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=encodings),
            workspace=types.WorkspaceClientCapabilities(configuration=asked_settings is not None),
            text_document=types.TextDocumentClientCapabilities(
                publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=related)
            ),
        )
        uri = folder.as_uri()
        self.server = self.run(
            self.client.initialize_async(
                types.InitializeParams(
                    capabilities,
                    root_uri=uri,
                    workspace_folders=[types.WorkspaceFolder(uri, "tests")],
                    initialization_options=settings,
                )
            )
        )
        self.client.initialized(types.InitializedParams())

    def _listen(self) -> None:
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published.setdefault(params.uri, []).append(params)

        def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        def configuration(params: types.ConfigurationParams) -> list[object]:
            return [self.asked_settings for _ in params.items]

        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
        self.client.feature(types.WINDOW_SHOW_MESSAGE)(shown)
        self.client.feature(types.WORKSPACE_CONFIGURATION)(configuration)

    def run(self, asked: Coroutine[Any, Any, T]) -> T:
        """What a coroutine gives, run in the client's thread."""
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result(_SECONDS)

    # --- documents

    def open(self, name: str, text: str) -> str:
        """Open a document of this name with this text, which need not be on disk; its address."""
        uri = (self.folder / name).as_uri() if ":" not in name else name
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, "ispc", 1, text)
        self._loop.call_soon_threadsafe(self.client.text_document_did_open, types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, text: str) -> None:
        """The document has another text."""
        self._versions[uri] += 1
        params = types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(self._versions[uri], uri),
            [types.TextDocumentContentChangeWholeDocument(text)],
        )
        self._loop.call_soon_threadsafe(self.client.text_document_did_change, params)

    def close(self, uri: str) -> None:
        params = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        self._loop.call_soon_threadsafe(self.client.text_document_did_close, params)

    def save(self, uri: str) -> None:
        params = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
        self._loop.call_soon_threadsafe(self.client.text_document_did_save, params)

    def diagnostics(self, uri: str, number: int = 1) -> list[types.Diagnostic]:
        """Of the present version, once they were published ``number`` times: the front end's, then all."""
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            found = [one for one in self.published.get(uri, []) if one.version == self._versions[uri]]
            if len(found) >= number:
                return list(found[-1].diagnostics)
            time.sleep(0.01)
        raise AssertionError(f"no diagnostics for version {self._versions[uri]} of {uri}: {self.published.get(uri)}")

    # --- requests

    def _place(self, uri: str, line: int, column: int) -> dict[str, Any]:
        return {"text_document": types.TextDocumentIdentifier(uri), "position": types.Position(line, column)}

    def hover(self, uri: str, line: int, column: int) -> str:
        found = self.run(self.client.text_document_hover_async(types.HoverParams(**self._place(uri, line, column))))
        return found.contents.value if found is not None and isinstance(found.contents, types.MarkupContent) else ""

    def definition(self, uri: str, line: int, column: int) -> types.Location | None:
        asked = types.DefinitionParams(**self._place(uri, line, column))
        found = self.run(self.client.text_document_definition_async(asked))
        assert found is None or isinstance(found, types.Location)
        return found

    def completions(self, uri: str, line: int, column: int) -> dict[str, types.CompletionItem]:
        asked = types.CompletionParams(**self._place(uri, line, column))
        found = self.run(self.client.text_document_completion_async(asked))
        assert isinstance(found, list)
        return {item.label: item for item in found}

    def signatures(self, uri: str, line: int, column: int) -> types.SignatureHelp | None:
        asked = types.SignatureHelpParams(**self._place(uri, line, column))
        return self.run(self.client.text_document_signature_help_async(asked))

    def symbols(self, uri: str) -> list[types.DocumentSymbol]:
        asked = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
        found = self.run(self.client.text_document_document_symbol_async(asked))
        return [one for one in found or [] if isinstance(one, types.DocumentSymbol)]

    def configure(self, settings: Any) -> None:
        """The settings of the editor were changed."""
        params = types.DidChangeConfigurationParams(settings)
        self._loop.call_soon_threadsafe(self.client.workspace_did_change_configuration, params)

    # --- the end

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The server."""
        assert self.client._server is not None
        return self.client._server

    def end_input(self) -> None:
        """As if the editor had crashed."""
        stdin = self.process.stdin
        assert stdin is not None
        self._loop.call_soon_threadsafe(stdin.close)

    def end(self) -> int:
        """As an editor ends it; the exit code of the server."""
        self.run(self.client.shutdown_async(None))
        self._loop.call_soon_threadsafe(self.client.exit, None)
        code = self.run(self.process.wait())
        self.stop()
        return code

    def stop(self) -> None:
        """End the client; the server has ended."""
        stop: Any = self.client.stop
        self.run(stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_SECONDS)
        self._loop.close()
