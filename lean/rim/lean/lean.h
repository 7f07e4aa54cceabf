/* What the C that Lean writes for the core needs of Lean's runtime: the layout of objects, reference counts, and natural
   numbers and integers that fit a word. The wheel brings the runtime as a shared library and no header; this one is
   written against the functions that the library exports. Whatever does not fit a word, and whatever is freed, is left
   to the library. One thread uses the objects, so counts are plain; a count of zero marks what lives for ever. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEAN_EXPORT
#if UINTPTR_MAX != UINT64_MAX
#error "this header is for machines of 64 bits"
#endif

typedef struct {
    int m_rc;
    unsigned m_cs_sz : 16;
    unsigned m_other : 8;
    unsigned m_tag : 8;
} lean_object;
typedef struct {
    lean_object m_header;
    lean_object *m_objs[];
} lean_ctor_object;
typedef struct {
    lean_object m_header;
    void *m_fun;
    uint16_t m_arity;
    uint16_t m_num_fixed;
    lean_object *m_objs[];
} lean_closure_object;
/* The library's cell has a flag and a lock behind it. */
typedef struct {
    int done;
    int lock;
} lean_once_cell_t;
#define LEAN_ONCE_CELL_INITIALIZER {0, 0}

/* ---- What the library exports ---- */
lean_object *lean_alloc_object(size_t);
lean_object *lean_alloc_small_object_core(unsigned);
void lean_free_object(lean_object *);
void lean_dec_ref_cold(lean_object *);
void lean_inc_ref_huge_n(lean_object *, size_t);
void lean_mark_persistent(lean_object *);
lean_object *lean_apply_1(lean_object *, lean_object *);
lean_object *lean_apply_2(lean_object *, lean_object *, lean_object *);
lean_object *lean_apply_3(lean_object *, lean_object *, lean_object *, lean_object *);
lean_object *lean_apply_4(lean_object *, lean_object *, lean_object *, lean_object *, lean_object *);
lean_object *lean_big_usize_to_nat(size_t);
lean_object *lean_big_size_t_to_int(size_t);
lean_object *lean_big_int64_to_int(int64_t);
lean_object *lean_nat_overflow_mul(size_t, size_t);
lean_object *lean_nat_big_add(lean_object *, lean_object *);
lean_object *lean_nat_big_sub(lean_object *, lean_object *);
lean_object *lean_nat_big_mul(lean_object *, lean_object *);
lean_object *lean_nat_big_div(lean_object *, lean_object *);
lean_object *lean_nat_big_mod(lean_object *, lean_object *);
lean_object *lean_nat_big_land(lean_object *, lean_object *);
lean_object *lean_nat_big_lor(lean_object *, lean_object *);
lean_object *lean_nat_big_xor(lean_object *, lean_object *);
lean_object *lean_nat_big_shiftr(lean_object *, lean_object *);
bool lean_nat_big_eq(lean_object *, lean_object *);
bool lean_nat_big_le(lean_object *, lean_object *);
lean_object *lean_nat_shiftl(lean_object *, lean_object *);
lean_object *lean_nat_pow(lean_object *, lean_object *);
lean_object *lean_nat_gcd(lean_object *, lean_object *);
lean_object *lean_nat_log2(lean_object *);
bool lean_int_big_lt(lean_object *, lean_object *);
lean_object *lean_int_big_add(lean_object *, lean_object *);
lean_object *lean_int_big_sub(lean_object *, lean_object *);
lean_object *lean_int_big_neg(lean_object *);
lean_object *lean_big_int_to_nat(lean_object *);
lean_object *lean_cstr_to_nat(const char *);
void lean_initialize_runtime_module(void);
void lean_initialize_thread(void);
void lean_io_mark_end_initialization(void);
void lean_internal_panic_unreachable(void) __attribute__((noreturn));

/* ---- Values in a word: the lowest bit is set ---- */
static inline bool lean_is_scalar(lean_object *o) { return ((size_t)o) & 1; }
static inline lean_object *lean_box(size_t n) { return (lean_object *)((n << 1) | 1); }
static inline size_t lean_unbox(lean_object *o) { return ((size_t)o) >> 1; }

/* Eight bytes of scalar fields in the place of a pointer, the lowest address first. */
#define LEAN_SCALAR_PTR_LITERAL(a, b, c, d, e, f, g, h) \
    ((lean_object *)((size_t)(a) | (size_t)(b) << 8 | (size_t)(c) << 16 | (size_t)(d) << 24 | (size_t)(e) << 32 | \
                     (size_t)(f) << 40 | (size_t)(g) << 48 | (size_t)(h) << 56))

/* ---- Reference counts ---- */
static inline void lean_inc_ref_n(lean_object *o, size_t n) {
    if (o->m_rc > 0 && n < (size_t)(INT_MAX - o->m_rc))
        o->m_rc += (int)n;
    else if (o->m_rc != 0)
        lean_inc_ref_huge_n(o, n);
}
static inline void lean_inc_ref(lean_object *o) { lean_inc_ref_n(o, 1); }
static inline void lean_dec_ref(lean_object *o) {
    if (o->m_rc > 1)
        o->m_rc--;
    else if (o->m_rc != 0)
        lean_dec_ref_cold(o);
}
static inline void lean_inc_n(lean_object *o, size_t n) {
    if (!lean_is_scalar(o)) lean_inc_ref_n(o, n);
}
static inline void lean_inc(lean_object *o) { lean_inc_n(o, 1); }
static inline void lean_dec(lean_object *o) {
    if (!lean_is_scalar(o)) lean_dec_ref(o);
}
/* The compiler knows how many fields the constructor has; the library reads that from the object. */
static inline void lean_dec_ref_known(lean_object *o, unsigned fields) {
    (void)fields;
    lean_dec_ref(o);
}
static inline bool lean_is_exclusive(lean_object *o) { return !lean_is_scalar(o) && o->m_rc == 1; }
/* Frees the memory of an object whose fields have been moved elsewhere; where there is none to use again, a word. */
static inline void lean_del_object(lean_object *o) {
    if (!lean_is_scalar(o)) lean_free_object(o);
}

/* ---- Constructors and closures ---- */
#define LEAN_CLOSURE_TAG 245
#define LEAN_SMALL_OBJECT 1024
static inline lean_object *lean_made(size_t size, unsigned tag, unsigned other) {
    lean_object *o = size <= LEAN_SMALL_OBJECT ? lean_alloc_small_object_core((unsigned)size) : lean_alloc_object(size);
    o->m_rc = 1;
    o->m_tag = tag;
    o->m_other = other;
    return o;
}
static inline lean_object *lean_alloc_ctor(unsigned tag, unsigned fields, unsigned scalars) {
    size_t size = sizeof(lean_ctor_object) + sizeof(void *) * fields + scalars;
    return lean_made((size + 7) & ~(size_t)7, tag, fields);
}
static inline lean_object *lean_ctor_get(lean_object *o, unsigned i) { return ((lean_ctor_object *)o)->m_objs[i]; }
static inline void lean_ctor_set(lean_object *o, unsigned i, lean_object *v) { ((lean_ctor_object *)o)->m_objs[i] = v; }
static inline void lean_ctor_set_tag(lean_object *o, uint8_t tag) { o->m_tag = tag; }
static inline uint8_t lean_ctor_get_uint8(lean_object *o, unsigned at) {
    return *((uint8_t *)((lean_ctor_object *)o)->m_objs + at);
}
static inline void lean_ctor_set_uint8(lean_object *o, unsigned at, uint8_t v) {
    *((uint8_t *)((lean_ctor_object *)o)->m_objs + at) = v;
}
static inline unsigned lean_obj_tag(lean_object *o) { return lean_is_scalar(o) ? (unsigned)lean_unbox(o) : o->m_tag; }
static inline lean_object *lean_alloc_closure(void *code, unsigned arity, unsigned fixed) {
    lean_closure_object *c = (lean_closure_object *)lean_made(
        sizeof(lean_closure_object) + sizeof(void *) * fixed, LEAN_CLOSURE_TAG, 0);
    c->m_fun = code;
    c->m_arity = (uint16_t)arity;
    c->m_num_fixed = (uint16_t)fixed;
    return (lean_object *)c;
}
static inline void lean_closure_set(lean_object *c, unsigned i, lean_object *v) {
    ((lean_closure_object *)c)->m_objs[i] = v;
}
static inline lean_object *lean_obj_once(lean_object **place, lean_once_cell_t *cell, lean_object *(*first)(void)) {
    if (!cell->done) {
        *place = first();
        if (!lean_is_scalar(*place)) lean_mark_persistent(*place);
        cell->done = 1;
    }
    return *place;
}

/* ---- Natural numbers ---- */
static inline bool lean_both_scalar(lean_object *a, lean_object *b) { return lean_is_scalar(a) && lean_is_scalar(b); }
static inline lean_object *lean_usize_to_nat(size_t n) {
    return n <= (SIZE_MAX >> 1) ? lean_box(n) : lean_big_usize_to_nat(n);
}
static inline lean_object *lean_unsigned_to_nat(unsigned n) { return lean_usize_to_nat(n); }
static inline lean_object *lean_nat_add(lean_object *a, lean_object *b) {
    return lean_both_scalar(a, b) ? lean_usize_to_nat(lean_unbox(a) + lean_unbox(b)) : lean_nat_big_add(a, b);
}
static inline lean_object *lean_nat_sub(lean_object *a, lean_object *b) {
    if (!lean_both_scalar(a, b)) return lean_nat_big_sub(a, b);
    return lean_box(lean_unbox(a) < lean_unbox(b) ? 0 : lean_unbox(a) - lean_unbox(b));
}
static inline lean_object *lean_nat_pred(lean_object *a) { return lean_nat_sub(a, lean_box(1)); }
static inline lean_object *lean_nat_mul(lean_object *a, lean_object *b) {
    size_t product;
    if (!lean_both_scalar(a, b)) return lean_nat_big_mul(a, b);
    if (!__builtin_mul_overflow(lean_unbox(a), lean_unbox(b), &product) && product <= (SIZE_MAX >> 1))
        return lean_box(product);
    return lean_nat_overflow_mul(lean_unbox(a), lean_unbox(b));
}
static inline lean_object *lean_nat_div(lean_object *a, lean_object *b) {
    if (!lean_both_scalar(a, b)) return lean_nat_big_div(a, b);
    return lean_box(lean_unbox(b) ? lean_unbox(a) / lean_unbox(b) : 0);
}
static inline lean_object *lean_nat_mod(lean_object *a, lean_object *b) {
    if (!lean_both_scalar(a, b)) return lean_nat_big_mod(a, b);
    return lean_box(lean_unbox(b) ? lean_unbox(a) % lean_unbox(b) : lean_unbox(a));
}
static inline uint8_t lean_nat_dec_eq(lean_object *a, lean_object *b) {
    return a == b || (!lean_is_scalar(a) && !lean_is_scalar(b) && lean_nat_big_eq(a, b));
}
static inline uint8_t lean_nat_dec_le(lean_object *a, lean_object *b) {
    return lean_both_scalar(a, b) ? lean_unbox(a) <= lean_unbox(b) : lean_nat_big_le(a, b);
}
static inline lean_object *lean_nat_land(lean_object *a, lean_object *b) {
    return lean_both_scalar(a, b) ? lean_box(lean_unbox(a) & lean_unbox(b)) : lean_nat_big_land(a, b);
}
static inline lean_object *lean_nat_lor(lean_object *a, lean_object *b) {
    return lean_both_scalar(a, b) ? lean_box(lean_unbox(a) | lean_unbox(b)) : lean_nat_big_lor(a, b);
}
static inline lean_object *lean_nat_lxor(lean_object *a, lean_object *b) {
    return lean_both_scalar(a, b) ? lean_box(lean_unbox(a) ^ lean_unbox(b)) : lean_nat_big_xor(a, b);
}
static inline lean_object *lean_nat_shiftr(lean_object *a, lean_object *b) {
    if (!lean_both_scalar(a, b)) return lean_nat_big_shiftr(a, b);
    return lean_box(lean_unbox(b) < 64 ? lean_unbox(a) >> lean_unbox(b) : 0);
}

/* ---- Integers: those of 32 bits fit a word ---- */
static inline lean_object *lean_int64_to_int(int64_t n) {
    return n >= INT_MIN && n <= INT_MAX ? lean_box((unsigned)(int)n) : lean_big_int64_to_int(n);
}
static inline int64_t lean_scalar_to_int64(lean_object *a) { return (int)(unsigned)lean_unbox(a); }
/* Takes its argument, as constructors do. */
static inline lean_object *lean_nat_to_int(lean_object *a) {
    if (!lean_is_scalar(a)) return a;
    return lean_unbox(a) <= INT_MAX ? a : lean_big_size_t_to_int(lean_unbox(a));
}
static inline lean_object *lean_int_neg(lean_object *a) {
    return lean_is_scalar(a) ? lean_int64_to_int(-lean_scalar_to_int64(a)) : lean_int_big_neg(a);
}
static inline lean_object *lean_int_add(lean_object *a, lean_object *b) {
    if (!lean_both_scalar(a, b)) return lean_int_big_add(a, b);
    return lean_int64_to_int(lean_scalar_to_int64(a) + lean_scalar_to_int64(b));
}
static inline lean_object *lean_int_sub(lean_object *a, lean_object *b) {
    if (!lean_both_scalar(a, b)) return lean_int_big_sub(a, b);
    return lean_int64_to_int(lean_scalar_to_int64(a) - lean_scalar_to_int64(b));
}
/* -a - 1; takes its argument. */
static inline lean_object *lean_int_neg_succ_of_nat(lean_object *a) {
    lean_object *next = lean_nat_add(a, lean_box(1));
    lean_dec(a);
    lean_object *positive = lean_nat_to_int(next);
    lean_object *negative = lean_int_neg(positive);
    lean_dec(positive);
    return negative;
}
static inline uint8_t lean_int_dec_lt(lean_object *a, lean_object *b) {
    if (!lean_both_scalar(a, b)) return lean_int_big_lt(a, b);
    return lean_scalar_to_int64(a) < lean_scalar_to_int64(b);
}
static inline lean_object *lean_nat_abs(lean_object *a) {
    if (lean_is_scalar(a)) {
        int64_t n = lean_scalar_to_int64(a);
        return lean_box((size_t)(n < 0 ? -n : n));
    }
    lean_object *zero = lean_box(0);
    if (!lean_int_big_lt(a, zero)) {
        lean_inc(a);
        return lean_big_int_to_nat(a);
    }
    return lean_big_int_to_nat(lean_int_big_neg(a));
}

/* ---- Results of initializers ---- */
static inline lean_object *lean_io_result_mk_ok(lean_object *value) {
    lean_object *r = lean_alloc_ctor(0, 1, 0);
    lean_ctor_set(r, 0, value);
    return r;
}
static inline bool lean_io_result_is_error(lean_object *r) { return lean_obj_tag(r) == 1; }
