"""Protobuf messages of etcd's v3 API that the engine uses, as in ``rpc.proto`` and ``kv.proto``.

Fields that the engine does not need are omitted. The classes are not generated code: they are created from the tables
of this module on import.
"""

from typing import Any, Final

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

_PACKAGE: Final = "etcdserverpb"
_TYPES: Final = {
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "string": FieldDescriptorProto.TYPE_STRING,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "uint64": FieldDescriptorProto.TYPE_UINT64,
    "bool": FieldDescriptorProto.TYPE_BOOL,
    # Enum fields are declared as int32, which has the same encoding.
    "enum": FieldDescriptorProto.TYPE_INT32,
}
_FIELDS: Final[dict[str, str]] = {
    "KeyValue": "1 key bytes, 3 mod_revision int64, 5 value bytes",
    "Event": "1 type enum, 2 kv KeyValue",
    "ResponseHeader": "1 cluster_id uint64, 3 revision int64",
    "RangeRequest": "1 key bytes, 2 range_end bytes, 3 limit int64, 4 revision int64, 8 keys_only bool, "
    "9 count_only bool",
    "RangeResponse": "1 header ResponseHeader, 2 kvs KeyValue*, 3 more bool",
    "PutRequest": "1 key bytes, 2 value bytes, 3 lease int64",
    "DeleteRangeRequest": "1 key bytes",
    "RequestOp": "1 request_range RangeRequest, 2 request_put PutRequest, 3 request_delete_range DeleteRangeRequest",
    "Compare": "1 result enum, 2 target enum, 3 key bytes, 6 mod_revision int64",
    "TxnRequest": "1 compare Compare*, 2 success RequestOp*, 3 failure RequestOp*",
    "ResponseOp": "1 response_range RangeResponse",
    "TxnResponse": "1 header ResponseHeader, 2 succeeded bool, 3 responses ResponseOp*",
    "CompactionRequest": "1 revision int64",
    "CompactionResponse": "1 header ResponseHeader",
    "WatchCreateRequest": "1 key bytes, 2 range_end bytes, 3 start_revision int64",
    "WatchProgressRequest": "",
    "WatchRequest": "1 create_request WatchCreateRequest, 3 progress_request WatchProgressRequest",
    "WatchResponse": "1 header ResponseHeader, 3 created bool, 4 canceled bool, 5 compact_revision int64, "
    "6 cancel_reason string, 11 events Event*",
    "LeaseGrantRequest": "1 TTL int64",
    "LeaseGrantResponse": "2 ID int64",
    "StatusRequest": "",
    "StatusResponse": "1 header ResponseHeader, 2 version string, 3 dbSize int64",
    "AuthenticateRequest": "1 name string, 2 password string",
    "AuthenticateResponse": "2 token string",
}


def _described() -> FileDescriptorProto:
    file = FileDescriptorProto(name="memkube/etcd.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for number, field, written in (text.split() for text in fields.split(", ") if text):
            kind = written.removesuffix("*")
            described = message.field.add(name=field, number=int(number))
            described.label = described.LABEL_REPEATED if written.endswith("*") else described.LABEL_OPTIONAL
            if kind in _TYPES:
                described.type = _TYPES[kind]
            else:
                described.type, described.type_name = described.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    return file


_pool: Final = DescriptorPool()
_pool.Add(_described())


def message(name: str) -> Any:
    """Return the protobuf class with this name, such as ``RangeRequest``."""
    return GetMessageClass(_pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
