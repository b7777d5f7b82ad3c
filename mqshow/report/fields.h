// SPDX-License-Identifier: BSD-3-Clause
// What report.def makes of its lines: numbers of members, and members of structs.
#ifndef MQSHOW_REPORT_FIELDS_H
#define MQSHOW_REPORT_FIELDS_H

#include "mqshow/report/report.def"

/** A record: the numbers of its members, and its struct, which may have more members. */
#define RECORD(record, FIELDS, more) \
    enum { FIELDS(FIELD_NUMBER, ) }; \
    struct record {                  \
        uint32_t has;                \
        const char *others;          \
        FIELDS(FIELD_MEMBER, )       \
        more                         \
    };

#define FIELD_NOTHING(S, number, kind, of, member, key, meaning)
#define FIELD_NUMBER(S, number, kind, of, member, key, meaning) number,
#define FIELD_MEMBER(S, number, kind, of, member, key, meaning) MEMBER_##kind(of) member;
#define MEMBER_INTEGER(of)                                      int64_t
#define MEMBER_INT32(of)                                        int32_t
#define MEMBER_RANK(of)                                         int32_t
#define MEMBER_RANK_OR_ANY(of)                                  int32_t
#define MEMBER_INT32_OR_ANY(of)                                 int32_t
#define MEMBER_HEX(of)                                          uint64_t
#define MEMBER_FLAG(of)                                         bool
#define MEMBER_MILLISECONDS(of)                                 int64_t
#define MEMBER_WORD(of)                                         uint8_t
#define MEMBER_TEXT(of)                                         const char *
#define MEMBER_KEPT(of)                                         uint32_t
#define MEMBER_INTEGERS(of)                                     LIST(int32_t)
#define MEMBER_ADDRESSES(of)                                    LIST(uint64_t)
#define MEMBER_TEXTS(of)                                        LIST(const char *)
#define MEMBER_RANKS(of)                                        struct ranks
#define MEMBER_TRAFFIC(of)                                      LIST(struct peer_traffic)
#define MEMBER_RECORD(of)                                       struct of
#define MEMBER_RECORDS(of)                                      LIST(struct of)
#define MEMBER_QUEUE(of)                                        struct operations
#define MEMBER_QUEUES(of)                                       uint8_t
#define MEMBER_ID(of)                                           int32_t
#define MEMBER_IDS(of)                                          LIST(int32_t)
#define MEMBER_OPENMP(of)                                       struct openmp

#endif
