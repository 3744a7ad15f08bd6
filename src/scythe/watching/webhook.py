"""Tell an address of new records: a batch comes in, one signed JSON object is posted through the guarded fetcher."""

from __future__ import annotations

import hashlib
import hmac

from scythe.errors import BadInput, FetchFailed
from scythe.fetch import Fetcher
from scythe.fetch.judge import describe_status, header, retry_after_s
from scythe.fetch.redirects import REDIRECTS, start_of
from scythe.limits import LIMITS
from scythe.model import Response
from scythe.url import host
from scythe.watching.hooks import Batch, Told, make_key

_GONE = 410


class Webhook:
    """An address to which batches are posted. 2xx means that the receiver has it; no redirect is followed."""

    def __init__(self, fetcher: Fetcher, url: str, *, secret: str = "", timeout_s: float = LIMITS.hook_s) -> None:
        try:
            self._url = start_of(url)
        except FetchFailed as error:
            raise BadInput(f"records cannot be posted there: {error.why}") from error
        self._fetcher = fetcher
        self._secret = secret.encode()
        self._timeout_s = timeout_s
        self.key = make_key("webhook", self._url)
        self.name = f"webhook at {host(self._url)}"  # the path often is the password

    async def tell(self, batch: Batch) -> Told:
        """Post a batch and judge the answer by its status; what the receiver says besides is not read."""
        body = batch.message()
        try:
            answer = await self._fetcher.post(self._url, body, self._headers(batch, body), timeout_s=self._timeout_s)
        except FetchFailed as error:
            return Told(error.why.replace(self._url, self.name))
        return _judge(answer)

    def _headers(self, batch: Batch, body: bytes) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "X-Scythe-Batch": batch.id}
        if self._secret:
            headers["X-Scythe-Signature"] = sign(self._secret, body)
        return headers


def sign(secret: bytes, body: bytes) -> str:
    """Return what proves that a body comes from someone who knows the secret."""
    return f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}"


def _judge(answer: Response) -> Told:
    if 200 <= answer.status < 300:
        return Told()
    if answer.status in REDIRECTS:
        return Told(f"{describe_status(answer.status)}: redirects are not followed, name the address they lead to")
    wanted_s = retry_after_s(answer) if header(answer, "Retry-After") else None
    return Told(describe_status(answer.status), wanted_s, is_removed=answer.status == _GONE)
