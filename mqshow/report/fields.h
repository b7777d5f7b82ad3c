// SPDX-License-Identifier: BSD-3-Clause
// What report.def makes of its lines: numbers of members, and members of structs.
#ifndef MQSHOW_REPORT_FIELDS_H
#define MQSHOW_REPORT_FIELDS_H

// The number of a member.
#define FIELD_NUMBER(number, kind, of, member, key, meaning) number,

// A member of a struct, by its kind.
#define FIELD_MEMBER(number, kind, of, member, key, meaning) MEMBER_##kind(of, member)
#define MEMBER_INTEGER(of, member)                           int64_t member;
#define MEMBER_INT32(of, member)                             int32_t member;
#define MEMBER_RANK(of, member)                              int32_t member;
#define MEMBER_RANK_OR_ANY(of, member)                       int32_t member;
#define MEMBER_INT32_OR_ANY(of, member)                      int32_t member;
#define MEMBER_HEX(of, member)                               uint64_t member;
#define MEMBER_FLAG(of, member)                              bool member;
#define MEMBER_MILLISECONDS(of, member)                      int64_t member;
#define MEMBER_WORD(of, member)                              uint8_t member;
#define MEMBER_TEXT(of, member)                              const char *member;
#define MEMBER_KEPT(of, member)                              uint32_t member;
#define MEMBER_INTEGERS(of, member)                          LIST(int32_t) member;
#define MEMBER_ADDRESSES(of, member)                         LIST(uint64_t) member;
#define MEMBER_TEXTS(of, member)                             LIST(const char *) member;
#define MEMBER_RANKS(of, member)                             struct ranks member;
#define MEMBER_TRAFFIC(of, member)                           LIST(struct peer_traffic) member;
#define MEMBER_RECORD(of, member)                            struct of member;
#define MEMBER_RECORDS(of, member)                           LIST(struct of) member;
#define MEMBER_QUEUE(of, member)                             struct operations member;
#define MEMBER_QUEUES(of, member)                            uint8_t member;
#define MEMBER_OPENMP(of, member)                            struct openmp member;

// The same in three steps, the larger members first: a struct without holes, of which there are
// very many.
#define FIELD_OF_8(number, kind, of, member, key, meaning) MEMBER_OF_8_##kind(of, member)
#define FIELD_OF_4(number, kind, of, member, key, meaning) MEMBER_OF_4_##kind(of, member)
#define FIELD_OF_1(number, kind, of, member, key, meaning) MEMBER_OF_1_##kind(of, member)
#define MEMBER_OF_8_INTEGER                                MEMBER_INTEGER
#define MEMBER_OF_8_HEX                                    MEMBER_HEX
#define MEMBER_OF_8_RANK_OR_ANY(of, member)
#define MEMBER_OF_8_INT32_OR_ANY(of, member)
#define MEMBER_OF_8_KEPT(of, member)
#define MEMBER_OF_8_KEPT_LINES(of, member)
#define MEMBER_OF_8_ACTUAL(of, member)
#define MEMBER_OF_8_FLAG(of, member)
#define MEMBER_OF_8_WORD(of, member)
#define MEMBER_OF_4_INTEGER(of, member)
#define MEMBER_OF_4_HEX(of, member)
#define MEMBER_OF_4_RANK_OR_ANY  MEMBER_RANK_OR_ANY
#define MEMBER_OF_4_INT32_OR_ANY MEMBER_INT32_OR_ANY
#define MEMBER_OF_4_KEPT         MEMBER_KEPT
#define MEMBER_OF_4_KEPT_LINES(of, member)
#define MEMBER_OF_4_ACTUAL(of, member)
#define MEMBER_OF_4_FLAG(of, member)
#define MEMBER_OF_4_WORD(of, member)
#define MEMBER_OF_1_INTEGER(of, member)
#define MEMBER_OF_1_HEX(of, member)
#define MEMBER_OF_1_RANK_OR_ANY(of, member)
#define MEMBER_OF_1_INT32_OR_ANY(of, member)
#define MEMBER_OF_1_KEPT(of, member)
#define MEMBER_OF_1_KEPT_LINES(of, member)
#define MEMBER_OF_1_ACTUAL(of, member)
#define MEMBER_OF_1_FLAG MEMBER_FLAG
#define MEMBER_OF_1_WORD MEMBER_WORD

#endif
