"""Connections that can't be held open for nothing: the head of a request must arrive in time, and must not be huge."""

from asyncio import TimerHandle, Transport

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 20.0
MOST_BYTES = 1 << 16  # of the head of a request


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with these two limits."""

    _timer: TimerHandle | None = None
    _n_bytes = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._timer is not None:
            self._n_bytes += len(data)
            if self._n_bytes > MOST_BYTES:
                self._give_up()

    def on_message_begin(self) -> None:
        self._expect_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def shutdown(self) -> None:
        """The server ends. It waits for answers, but not for a stream that has no end."""
        state = self.scope["state"] if self.cycle is not None and self.scope else {}
        if state.get("is_endless"):
            self.transport.close()
        else:
            super().shutdown()

    def _expect_head(self) -> None:
        self._stop_waiting()
        self._n_bytes = 0
        self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
