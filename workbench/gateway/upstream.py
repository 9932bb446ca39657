"""The answer of a model endpoint, as read by the gateway."""

from __future__ import annotations

import http.client

INTERIM_LIMIT = 20


class FinalAnswer(http.client.HTTPResponse):
    """Passes over the interim answers (RFC 9110, 15.2) that may come before the one that counts."""

    def begin(self) -> None:
        """Read up to the end of the final answer's headers. Raises HTTPException if none comes, OSError."""
        super().begin()
        for _ in range(INTERIM_LIMIT):
            if not 100 <= self.status < 200:
                return
            if self.status == http.HTTPStatus.SWITCHING_PROTOCOLS:
                break
            # begin() does nothing for an answer that has its headers
            self.__dict__.update(headers=None, msg=None)
            super().begin()
        raise http.client.HTTPException("no final answer")
