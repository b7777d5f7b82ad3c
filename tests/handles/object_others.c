// SPDX-License-Identifier: BSD-3-Clause
// Windows, files, operations of reductions, error handlers, infos, keyvals and sessions.
#include "tests/handles/objects.h"

#include <stdio.h>
#include <stdlib.h>

static int any_state;

static MPI_Info
hint(const char *key, const char *value)
{
    MPI_Info info;

    need(MPI_Info_create(&info));
    need(MPI_Info_set(info, key, value));
    return info;
}

static const char *
flavor_name(int flavor)
{
    return flavor == MPI_WIN_FLAVOR_CREATE     ? "create"
           : flavor == MPI_WIN_FLAVOR_ALLOCATE ? "allocate"
           : flavor == MPI_WIN_FLAVOR_DYNAMIC  ? "dynamic"
                                               : "shared";
}

static void *
win_attribute(MPI_Win win, int key)
{
    void *value;
    int found;

    need(MPI_Win_get_attr(win, key, &value, &found));
    return found ? value : NULL;
}

static void
say_window(MPI_Win win)
{
    const struct about about = ABOUT("window", win, MPI_Win_c2f(win));
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Errhandler handler;
    MPI_Group group;
    MPI_Info hints;
    int length, number;

    need(MPI_Win_get_info(win, &hints));
    say_pairs(&about, hints);
    need(MPI_Win_get_name(win, name, &length));
    say_state(&about, "live", name);
    const int flavor = *(int *) win_attribute(win, MPI_WIN_CREATE_FLAVOR);
    say(&about, "flavor", 0, "%s", flavor_name(flavor));
    say(&about, "model", 0, "%s",
        *(int *) win_attribute(win, MPI_WIN_MODEL) == MPI_WIN_UNIFIED ? "unified" : "separate");
    say_address(&about, "base", win_attribute(win, MPI_WIN_BASE));
    say_number(&about, "size", 0, *(MPI_Aint *) win_attribute(win, MPI_WIN_SIZE));
    say_number(&about, "displacement_unit", 0, *(int *) win_attribute(win, MPI_WIN_DISP_UNIT));
    need(MPI_Win_get_errhandler(win, &handler));
    say_errhandler(&about, handler);
    need(MPI_Win_get_group(win, &group));
    need(MPI_Group_rank(group, &number));
    say_number(&about, "rank", 0, number);
    need(MPI_Group_free(&group));
}

// Epochs, of windows of memory of the program, or of memory that the processes of a node share; all
// stay open. What a process cannot know of the others it says of what they are about to do.

static int rank, size;

static MPI_Win
make_window(bool shared)
{
    static int memory[16];
    MPI_Win win;
    void *base;

    need(shared ? MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win)
                : MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    return win;
}

static void
say_epoch(MPI_Win win, const char *epoch)
{
    const struct about about = ABOUT("window", win, MPI_Win_c2f(win));

    say(&about, "epoch", 0, "%s", epoch);
}

static void
say_lock(MPI_Win win, int index, int target, bool exclusive)
{
    const struct about about = ABOUT("window", win, MPI_Win_c2f(win));

    say_number(&about, "locked", index, target);
    say_number(&about, "locked_exclusively", index, exclusive);
}

static void
say_locked(MPI_Win win, int shared, bool exclusive)
{
    const struct about about = ABOUT("window", win, MPI_Win_c2f(win));

    say_number(&about, "shared_locks", 0, shared);
    say_number(&about, "exclusive_lock", 0, exclusive);
}

static MPI_Group
group_of(int member)
{
    MPI_Group all, group;

    need(MPI_Comm_group(MPI_COMM_WORLD, &all));
    need(MPI_Group_incl(all, 1, &member, &group));
    need(MPI_Group_free(&all));
    return group;
}

/** Each process exposes its memory to the one before, and accesses that of the one behind; the last
 * one has no access epoch, so that nobody completes. */
static void
make_active(bool shared)
{
    const int before = (rank + size - 1) % size, after = (rank + 1) % size;
    const MPI_Win win = make_window(shared);
    const struct about about = ABOUT("window", win, MPI_Win_c2f(win));

    need(MPI_Win_post(group_of(before), 0, win));
    say_number(&about, "exposure_member", 0, before);
    if (rank < size - 1) {
        need(MPI_Win_start(group_of(after), 0, win));
        say_number(&about, "access_member", 0, after);
    }
    say_epoch(win, rank < size - 1 ? "start and post" : "post");
    say_number(&about, "completions", 0, 0);
    say_locked(win, 0, false);
}

/** Each process locks the memory of the one behind, the first ones also what rank 3 has. */
static void
make_locks(bool of_node)
{
    const int after = (rank + 1) % size;
    const MPI_Win exclusive = make_window(of_node), shared = make_window(of_node);

    need(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, after, 0, exclusive));
    say_epoch(exclusive, "lock");
    say_lock(exclusive, 0, after, true);
    say_locked(exclusive, 0, true);
    if (rank < 2) {
        need(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, shared));
        need(MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, shared));
        say_epoch(shared, "lock");
        say_lock(shared, 0, 1, false);
        say_lock(shared, 1, 3, false);
    }
    say_locked(shared, rank == 1 || rank == 3 ? 2 : 0, false);
}

static void
make_epochs(bool shared)
{
    const MPI_Win win = make_window(shared);

    need(MPI_Win_lock_all(0, win));
    say_epoch(win, "lock|lock all");
    make_active(shared);
    make_locks(shared);
}

void
make_windows(void)
{
    static double memory[64];
    const MPI_Win none = MPI_WIN_NULL;
    const struct about about = ABOUT("window", none, MPI_Win_c2f(none));
    MPI_Win win;
    void *base;

    need(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    need(MPI_Comm_size(MPI_COMM_WORLD, &size));
    say_state(&about, "null", "MPI_WIN_NULL");
    need(MPI_Win_create(memory, (MPI_Aint) sizeof(memory) - 8 * rank, 8, MPI_INFO_NULL,
                        MPI_COMM_WORLD, &win));
    need(MPI_Win_set_name(win, "halo"));
    need(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    say_window(win);
    need(MPI_Win_allocate(4096, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    say_window(win);
    need(MPI_Win_allocate_shared(128, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    say_window(win);
    need(MPI_Win_create_dynamic(hint("accumulate_ordering", "none"), MPI_COMM_WORLD, &win));
    say_window(win);
    make_epochs(false);
    make_epochs(true);
}

void
make_files(const char *path)
{
    const MPI_File none = MPI_FILE_NULL;
    const struct about null = ABOUT("file", none, MPI_File_c2f(none));
    MPI_Datatype etype, filetype;
    MPI_Errhandler handler;
    MPI_Offset offset;
    MPI_Info hints;
    char representation[MPI_MAX_DATAREP_STRING];
    int number, data[4] = {0};
    MPI_File file;

    say_state(&null, "null", "MPI_FILE_NULL");
    need(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hint("cb_nodes", "2"),
                       &file));
    need(MPI_File_set_view(file, 64, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    need(MPI_File_write(file, data, 4, MPI_INT, MPI_STATUS_IGNORE));
    const struct about about = ABOUT("file", file, MPI_File_c2f(file));
    say_state(&about, "live", NULL);
    say(&about, "file_name", 0, "%s", path);
    need(MPI_File_get_amode(file, &number));
    say_number(&about, "access_mode", 0, number);
    need(MPI_File_get_view(file, &offset, &etype, &filetype, representation));
    say_number(&about, "view_displacement", 0, offset);
    say_handle(&about, "view_etype", 0, BITS(etype));
    say(&about, "data_representation", 0, "%s", representation);
    need(MPI_File_get_position(file, &offset));
    say_number(&about, "pointer", 0, offset);
    need(MPI_File_get_atomicity(file, &number));
    say_number(&about, "atomic", 0, number != 0);
    need(MPI_File_get_errhandler(file, &handler));
    say_errhandler(&about, handler);
    need(MPI_File_get_info(file, &hints));
    say_pairs(&about, hints);
}

static void
add_nothing(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void) in;
    (void) inout;
    (void) length;
    (void) type;
}

static void
say_op(MPI_Op op, const char *name)
{
    const struct about about = ABOUT("op", op, MPI_Op_c2f(op));
    int commutes;

    say_state(&about, name != NULL ? "predefined" : "live", name);
    need(MPI_Op_commutative(op, &commutes));
    say_number(&about, "commutative", 0, commutes != 0);
    if (name == NULL)
        say_handle(&about, "function", 0, (uintptr_t) add_nothing);
}

void
make_ops(void)
{
    const MPI_Op none = MPI_OP_NULL;
    const struct about about = ABOUT("op", none, MPI_Op_c2f(none));
    MPI_Op op;

    say_state(&about, "null", "MPI_OP_NULL");
    say_op(MPI_SUM, "MPI_SUM");
    say_op(MPI_MAX, "MPI_MAX");
    say_op(MPI_MINLOC, "MPI_MINLOC");
    say_op(MPI_REPLACE, "MPI_REPLACE");
    need(MPI_Op_create(add_nothing, 0, &op));
    say_op(op, NULL);
    need(MPI_Op_create(add_nothing, 1, &op));
    say_op(op, NULL);
}

static void
handle_comm_error(MPI_Comm *comm, int *code, ...)
{
    (void) comm;
    (void) code;
}

static void
handle_file_error(MPI_File *file, int *code, ...)
{
    (void) file;
    (void) code;
}

static void
say_handler(MPI_Errhandler handler, const char *kind, uintptr_t function, const char *name)
{
    const struct about about = ABOUT("errhandler", handler, MPI_Errhandler_c2f(handler));

    say_state(&about, name != NULL ? "predefined" : "live", name);
    if (kind == NULL)
        return;
    say(&about, "object_kind", 0, "%s", kind);
    say_handle(&about, "function", 0, function);
}

void
make_errhandlers(void)
{
    const MPI_Errhandler none = MPI_ERRHANDLER_NULL;
    const struct about about = ABOUT("errhandler", none, MPI_Errhandler_c2f(none));
    MPI_Errhandler handler;

    say_state(&about, "null", "MPI_ERRHANDLER_NULL");
    say_handler(MPI_ERRORS_ARE_FATAL, NULL, 0, "MPI_ERRORS_ARE_FATAL");
    say_handler(MPI_ERRORS_RETURN, NULL, 0, "MPI_ERRORS_RETURN");
    need(MPI_Comm_create_errhandler(handle_comm_error, &handler));
    say_handler(handler, "communicator", (uintptr_t) handle_comm_error, NULL);
    need(MPI_File_create_errhandler(handle_file_error, &handler));
    say_handler(handler, "file", (uintptr_t) handle_file_error, NULL);
}

// The program may run with a library of MPI 3.1.
#if MPI_VERSION >= 4
#pragma weak MPI_Session_init
#pragma weak MPI_Session_get_errhandler
#pragma weak MPI_Session_set_errhandler

static void
say_session(MPI_Session session)
{
    const struct about about = ABOUT("session", session, MPI_Session_c2f(session));
    MPI_Errhandler handler;

    say_state(&about, "live", NULL);
    need(MPI_Session_get_errhandler(session, &handler));
    say_errhandler(&about, handler);
}

void
make_sessions(void)
{
    const MPI_Session none = MPI_SESSION_NULL;
    const struct about about = ABOUT("session", none, MPI_Session_c2f(none));
    MPI_Session session;

    if (MPI_Session_init == NULL)
        return;
    say_state(&about, "null", "MPI_SESSION_NULL");
    need(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    need(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
    say_session(session);
    need(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session));
    say_session(session);
}
#else
void
make_sessions(void)
{
}
#endif

void
say_pairs(const struct about *about, MPI_Info info)
{
    char key[MPI_MAX_INFO_KEY + 1], value[256];
    int count, found;

    need(MPI_Info_get_nkeys(info, &count));
    for (int i = 0; i < count; ++i) {
        need(MPI_Info_get_nthkey(info, i, key));
        need(MPI_Info_get(info, key, sizeof(value) - 1, value, &found));
        say(about, "key", i, "%s", key);
        say(about, "value", i, "%s", value);
    }
    need(MPI_Info_free(&info));
}

void
make_infos(void)
{
    const MPI_Info none = MPI_INFO_NULL;
    const struct about null = ABOUT("info", none, MPI_Info_c2f(none));
    MPI_Info info, copy;
    int count;

    say_state(&null, "null", "MPI_INFO_NULL");
    need(MPI_Info_create(&info));
    need(MPI_Info_set(info, "striping_factor", "8"));
    need(MPI_Info_set(info, "a key with spaces", "and a value"));
    need(MPI_Info_set(info, "cb_nodes", "2"));
    const struct about about = ABOUT("info", info, MPI_Info_c2f(info));
    say_state(&about, "live", NULL);
    need(MPI_Info_get_nkeys(info, &count));
    say_number(&about, "count", 0, count);
    need(MPI_Info_dup(info, &copy));
    say_pairs(&about, copy);
}

static int
delete_win_attribute(MPI_Win win, int key, void *value, void *state)
{
    (void) win;
    (void) key;
    (void) value;
    (void) state;
    return MPI_SUCCESS;
}

static void
say_keyval(const char *kind, int key, bool predefined, const char *name)
{
    const struct about about = ABOUT(kind, key, key);

    say_state(&about, predefined ? "predefined" : "live", name);
    if (!predefined)
        say_address(&about, "extra_state", &any_state);
}

void
make_keyvals(void)
{
    const int none = MPI_KEYVAL_INVALID;
    const struct about about = ABOUT("comm_keyval", none, none);
    int key;

    say_state(&about, "null", "MPI_KEYVAL_INVALID");
    say_keyval("comm_keyval", MPI_TAG_UB, true, "MPI_TAG_UB");
    say_keyval("win_keyval", MPI_WIN_BASE, true, "MPI_WIN_BASE");
    need(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, &any_state));
    say_keyval("comm_keyval", key, false, NULL);
    need(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key, &any_state));
    say_keyval("type_keyval", key, false, NULL);
    need(MPI_Win_create_keyval(MPI_WIN_DUP_FN, delete_win_attribute, &key, &any_state));
    say_keyval("win_keyval", key, false, NULL);
    const struct about window = ABOUT("win_keyval", key, key);
    say_handle(&window, "delete_function", 0, (uintptr_t) delete_win_attribute);
}
