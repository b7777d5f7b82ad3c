# SPDX-License-Identifier: BSD-3-Clause
"""The records and functions of mqs.h, mqs_ext.h and mqs_omp.h for ctypes."""

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p

# As mqs.h has them: wide enough for an address or a long of the process.
taddr = ctypes.c_ulong
tword = ctypes.c_long

OK, NO_INFORMATION, END_OF_LIST, FIRST_USER_CODE = 0, 1, 2, 100
NONE = ALL = -1
SENDS, RECEIVES, UNEXPECTED = 0, 1, 2
STATUSES = ("pending", "matched", "complete")
KINDS = ("receive", "send", "ssend", "bsend", "rsend", "probe", "message")
COLLECTIVES = ("barrier", "bcast", "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv",
               "reduce_scatter", "reduce", "gather", "gatherv", "scan", "scatter", "scatterv")
# As mqshow/report/record_types.c names them.
PHASES = {"before MPI_Init": 1, "in MPI_Init": 2, "in MPI_Finalize": 4, "after MPI_Finalize": 5,
          "not in use": 6}
ID, NOTE = 40, 64


def _flags(*names):
    return {name: 1 << i for i, name in enumerate(names)}


COMM = _flags("INTER", "FREED", "REMOTE_SIZE", "ADDRESS")
OP = _flags("KIND", "PERSISTENT", "COUNT", "DATATYPE", "REQUEST", "RENDEZVOUS", "PEER", "TAG",
            "LENGTH", "BUFFER", "ACTUAL", "FREED", "BLOCKED", "WORLD")
OMP = _flags("TID", "PTHREAD", "THREAD_NUM", "TEAM_SIZE", "LEVEL", "ACTIVE_LEVEL", "STATE",
             "WAIT_ID", "REGION", "TASK", "TOOL_DATA", "PARENT", "PRIMARY", "FUNCTION",
             "TASK_COUNTS", "GENERATING", "SCHEDULING", "THREAD", "FRAMES")
TASK = _flags("implicit", "untied", "final", "undeferred", "started", "complete", "in_taskwait",
              "in_taskgroup_end", "current")
ALL_TASKS = 0
SCOPES = {"process": 2, "threads": 3, "regions": 4, "tasks": 6}
ICV_VALUE, ICV_TEXT = 1, 2


class TypeSizes(ctypes.Structure):
    _fields_ = [(name, c_int) for name in
                ("short_size", "int_size", "long_size", "long_long_size", "pointer_size")]


class Communicator(ctypes.Structure):
    _fields_ = [("unique_id", taddr), ("local_rank", tword), ("size", tword), ("name", c_char * 64)]


class PendingOperation(ctypes.Structure):
    _fields_ = [
        ("status", c_int), ("desired_local_rank", tword), ("desired_global_rank", tword),
        ("tag_wild", c_int), ("desired_tag", tword), ("desired_length", tword),
        ("system_buffer", c_int), ("buffer", taddr), ("actual_local_rank", tword),
        ("actual_global_rank", tword), ("actual_tag", tword), ("actual_length", tword),
        ("extra_text", (c_char * 64) * 5)]


class MpiInfo(ctypes.Structure):
    _fields_ = [("implementation", c_char * 32), ("version", c_char * 32), ("layout", c_char * 64),
                ("transport", c_char * 32)]


class CommunicatorDetails(ctypes.Structure):
    _fields_ = [("known", c_uint32), ("inter", c_int), ("freed", c_int), ("remote_size", c_int64),
                ("address", taddr)]


class RankRun(ctypes.Structure):
    _fields_ = [("first", c_int), ("last", c_int)]


class Ranks(ctypes.Structure):
    _fields_ = [("runs", POINTER(RankRun)), ("count", c_int)]


class LabelledCommunicator(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("id", c_int64), ("job", c_int), ("inter", c_int),
                ("ranks", Ranks), ("remote_ranks", Ranks), ("label", c_char * 160)]


class OperationDetails(ctypes.Structure):
    _fields_ = [("known", c_uint32), ("kind", c_int), ("persistent", c_int), ("count", c_int64),
                ("datatype", c_char * 64), ("request", taddr), ("rendezvous", c_int),
                ("freed", c_int), ("blocked", c_int)]


class OmpInfo(ctypes.Structure):
    _fields_ = [("runtime", c_char * 64), ("release", c_char * 32), ("backend", c_char * 256),
                ("state_tracking", c_int), ("omp_version", c_int64)]


class OmpThread(ctypes.Structure):
    _fields_ = [
        ("known", c_uint32), ("number", c_int32), ("id", c_char * ID), ("tid", c_int64),
        ("pthread", taddr), ("region", c_int32), ("task", c_int32), ("thread_num", c_int64),
        ("team_size", c_int64), ("level", c_int64), ("active_level", c_int64), ("state", c_int64),
        ("wait_id", c_uint64), ("state_name", c_char * 48), ("tool_value", c_uint64),
        ("tool_ptr", taddr), ("note", c_char * NOTE)]


class OmpRegion(ctypes.Structure):
    _fields_ = [
        ("known", c_uint32), ("number", c_int32), ("id", c_char * ID), ("parent", c_int32),
        ("primary", c_int32), ("team_size", c_int64), ("level", c_int64), ("active_level", c_int64),
        ("function", taddr), ("tasks_queued", c_int64), ("tasks_running", c_int64),
        ("tool_value", c_uint64), ("tool_ptr", taddr), ("note", c_char * NOTE)]


class OmpTask(ctypes.Structure):
    _fields_ = [
        ("known", c_uint32), ("number", c_int32), ("id", c_char * ID), ("region", c_int32),
        ("thread", c_int32), ("generating", c_int32), ("scheduling", c_int32),
        ("thread_num", c_int64), ("flags", c_uint32), ("flags_known", c_uint32),
        ("function", taddr), ("exit_frame", taddr), ("enter_frame", taddr),
        ("exit_flags", c_int64), ("enter_flags", c_int64), ("tool_value", c_uint64),
        ("tool_ptr", taddr), ("note", c_char * NOTE)]


class OmpIcv(ctypes.Structure):
    _fields_ = [("known", c_uint32), ("scope", c_int32), ("name", c_char * 48), ("value", c_int64),
                ("text", c_char * 512), ("note", c_char * NOTE)]


BASIC = ("malloc", "free", "dprints", "errorstring", "put_image_info", "get_image_info",
         "put_process_info", "get_process_info")
IMAGE = ("get_type_sizes", "find_function", "find_symbol", "find_type", "field_offset", "sizeof")
PROCESS = ("get_global_rank", "get_image", "fetch_data", "target_to_host")


def table(names, functions):
    """A table of callbacks; those that `functions` lacks are NULL."""
    array = (c_void_p * len(names))()
    for i, name in enumerate(names):
        if name in functions:
            array[i] = ctypes.cast(functions[name], c_void_p)
    return array


_handle = c_void_p
PROTOTYPES = {
    "put_image_info": ctypes.CFUNCTYPE(None, _handle, c_void_p),
    "get_image_info": ctypes.CFUNCTYPE(c_void_p, _handle),
    "put_process_info": ctypes.CFUNCTYPE(None, _handle, c_void_p),
    "get_process_info": ctypes.CFUNCTYPE(c_void_p, _handle),
    "get_type_sizes": ctypes.CFUNCTYPE(None, _handle, POINTER(c_int)),
    "find_function": ctypes.CFUNCTYPE(c_int, _handle, c_char_p, c_int, POINTER(taddr)),
    "find_symbol": ctypes.CFUNCTYPE(c_int, _handle, c_char_p, POINTER(taddr)),
    "find_type": ctypes.CFUNCTYPE(c_void_p, _handle, c_char_p, c_int),
    "field_offset": ctypes.CFUNCTYPE(c_int, _handle, c_char_p),
    "sizeof": ctypes.CFUNCTYPE(c_int, _handle),
    "get_global_rank": ctypes.CFUNCTYPE(c_int, _handle),
    "get_image": ctypes.CFUNCTYPE(c_void_p, _handle),
    "fetch_data": ctypes.CFUNCTYPE(c_int, _handle, taddr, c_int, c_void_p),
    "target_to_host": ctypes.CFUNCTYPE(None, _handle, c_void_p, c_void_p, c_int),
}

_text = POINTER(c_char_p)
REQUIRED = {
    "mqs_setup_basic_callbacks": (None, c_void_p),
    "mqs_version_string": (c_char_p,),
    "mqs_version_compatibility": (c_int,),
    "mqs_dll_error_string": (c_char_p, c_int),
    "mqs_setup_image": (c_int, _handle, c_void_p),
    "mqs_image_has_queues": (c_int, _handle, _text),
    "mqs_setup_process": (c_int, _handle, c_void_p),
    "mqs_process_has_queues": (c_int, _handle, _text),
    "mqs_update_communicator_list": (c_int, _handle),
    "mqs_setup_communicator_iterator": (c_int, _handle),
    "mqs_get_communicator": (c_int, _handle, c_void_p),
    "mqs_next_communicator": (c_int, _handle),
    "mqs_setup_operation_iterator": (c_int, _handle, c_int),
    "mqs_next_operation": (c_int, _handle, c_void_p),
}
OPTIONAL = {
    "mqs_dll_taddr_width": (c_int,),
    "mqs_destroy_image_info": (c_int, c_void_p),
    "mqs_destroy_process_info": (c_int, c_void_p),
    "mqs_get_comm_group": (c_int, _handle, POINTER(c_int)),
    "mqs_get_comm_remote_group": (c_int, _handle, POINTER(c_int)),
    "mqs_get_comm_traffic": (c_int, _handle, c_int, POINTER(c_int), POINTER(c_int)),
    "mqs_get_global_rank": (c_int, _handle),
    "mqs_get_comm_coll_state": (c_int, _handle, c_int, POINTER(c_int), POINTER(c_int)),
    "mqs_get_mpi_info": (c_int, _handle, c_void_p),
    "mqs_get_comm_coll_peer": (c_int, _handle, c_int, c_int, POINTER(c_int)),
    "mqs_get_mpi_phase": (c_int, _handle, POINTER(c_int)),
    "mqs_get_mpi_progress": (c_int, _handle, POINTER(c_uint64)),
    "mqs_get_communicator_details": (c_int, _handle, c_void_p),
    "mqs_label_communicators": (c_int, c_void_p, c_void_p, c_int),
    "mqs_get_operation_details": (c_int, _handle, c_void_p),
    "mqs_get_process_message": (c_int, _handle, c_int, _text),
    "mqs_omp_process_has_openmp": (c_int, _handle, _text),
    "mqs_omp_get_info": (c_int, _handle, c_void_p),
    "mqs_omp_setup_thread_iterator": (c_int, _handle),
    "mqs_omp_next_thread": (c_int, _handle, c_void_p),
    "mqs_omp_setup_region_iterator": (c_int, _handle, c_int),
    "mqs_omp_next_region": (c_int, _handle, c_void_p),
    "mqs_omp_setup_task_iterator": (c_int, _handle, c_int, c_int),
    "mqs_omp_next_task": (c_int, _handle, c_void_p),
    "mqs_omp_setup_icv_iterator": (c_int, _handle, c_int, c_int),
    "mqs_omp_next_icv": (c_int, _handle, c_void_p),
    "mqs_omp_get_message": (c_int, _handle, c_int, _text),
}

SLACK = 256  # bytes behind a record, for a library whose record is longer


def room(record):
    """A zeroed record with some room behind it."""
    return record.from_buffer(bytearray(ctypes.sizeof(record) + SLACK))
