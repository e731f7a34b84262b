"""Key-value pairs on a Redis server: a hash a namespace, and a set of the namespaces.

The rule: every key is `prefix:kind:name`, whose name holds no colon, so that no prefix and no
namespace meets another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast
from urllib.parse import quote

from recollect.faces.knowledge.model import checked_id
from recollect.faces.knowledge.services.base import (
    KeyValueServiceBase,
    Namespace,
    client,
    not_there,
)

_PATIENCE: Final = 10  # seconds for an answer


class RedisKeyValueService(KeyValueServiceBase):
    """Values on a Redis server, below a prefix. Needs the extra `redis`.

    What is put in one call is one transaction. Nothing is connected before the first call.
    """

    def __init__(
        self,
        host: str = "localhost",
        port: int = 6379,
        db: int = 0,
        prefix: str = "recollect",
        password: str | None = None,
    ) -> None:
        super().__init__()
        self._prefix = checked_id("prefix", prefix)
        self._place = f"Redis at {host}:{port}"
        redis = client("redis", "redis")
        self._error = redis.RedisError
        # A connection that the server has closed meanwhile is opened again, once.
        again = client("redis.retry", "redis").Retry(
            client("redis.backoff", "redis").NoBackoff(), 1
        )
        self._redis: Any = redis.Redis(
            host=host,
            port=port,
            db=db,
            password=password,
            socket_timeout=_PATIENCE,
            socket_connect_timeout=_PATIENCE,
            retry=again,
            decode_responses=True,
        )

    @contextmanager
    def _own_errors(self) -> Iterator[None]:
        try:
            yield
        except self._error as error:
            raise not_there(self._place, error) from error

    def _text(self, key: str, namespace: Namespace) -> str | None:
        return cast("str | None", self._redis.hget(self._pairs(namespace), key))

    def _texts(self, keys: Sequence[str], namespace: Namespace) -> Sequence[str | None]:
        found = self._redis.hmget(self._pairs(namespace), keys) if keys else []
        return cast("list[str | None]", found)

    def _put(self, texts: Mapping[str, str], namespace: Namespace) -> None:
        if not texts:
            return
        with self._redis.pipeline(transaction=True) as pipeline:
            if namespace is not None:
                pipeline.sadd(self._spaces, namespace)
            pipeline.hset(self._pairs(namespace), mapping=dict(texts))
            pipeline.execute()

    def _delete(self, key: str, namespace: Namespace) -> bool:
        return bool(self._redis.hdel(self._pairs(namespace), key))

    def _keys(self, namespace: Namespace) -> Collection[str]:
        return cast("list[str]", self._redis.hkeys(self._pairs(namespace)))

    def _size(self, namespace: Namespace) -> int:
        return cast("int", self._redis.hlen(self._pairs(namespace)))

    def _clear(self, namespace: Namespace) -> int:
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.hlen(self._pairs(namespace))
            pipeline.delete(self._pairs(namespace))
            return cast("int", pipeline.execute()[0])

    def _namespaces(self) -> Collection[str]:
        known = sorted(self._redis.smembers(self._spaces))
        with self._redis.pipeline(transaction=False) as pipeline:
            for name in known:
                pipeline.exists(self._pairs(name))
            return [
                name for name, is_there in zip(known, pipeline.execute(), strict=True) if is_there
            ]

    def _holders(self, key: str) -> Collection[Namespace]:
        known = [None, *sorted(self._redis.smembers(self._spaces))]
        with self._redis.pipeline(transaction=False) as pipeline:
            for name in known:
                pipeline.hexists(self._pairs(name), key)
            return [
                name for name, is_there in zip(known, pipeline.execute(), strict=True) if is_there
            ]

    def _reach(self) -> None:
        self._redis.ping()

    def _release(self) -> None:
        self._redis.close()

    @property
    def _spaces(self) -> str:
        return f"{self._prefix}:namespaces:"

    def _pairs(self, namespace: Namespace) -> str:
        return f"{self._prefix}:pairs:{quote(namespace or '', safe='')}"
