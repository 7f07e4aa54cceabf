/* The rim of the program: a line of numbers in, a line of numbers out. A number is written in lower-case hexadecimal, and
   one space stands between two. What is no such line, or has too many numbers, is answered as Lean answers what is no
   request. Nothing here is proved, and nothing here knows what the numbers stand for. */
#include <lean/lean.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The recursions of the core are as deep as the lists that it is given are long, so both are bounded together. */
#define MOST_NUMBERS ((size_t)1 << 20)
#define STACK_BYTES ((size_t)1 << 30)
/* What fits a word in any case: 60 bits. */
#define WORD_DIGITS 15

lean_object *tracepact_answer(lean_object *);
lean_object *initialize_Tracepact_Main(uint8_t);

static lean_object *read_number(const char *digits, size_t count) {
    if (count <= WORD_DIGITS) {
        size_t value = 0;
        for (size_t i = 0; i < count; i++)
            value = value << 4 | (size_t)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
        return lean_box(value);
    }
    /* By halves, for digit after digit would take time with the square of the length. */
    size_t low = count / 2;
    lean_object *high_part = read_number(digits, count - low);
    lean_object *low_part = read_number(digits + count - low, low);
    lean_object *shifted = lean_nat_shiftl(high_part, lean_box(4 * low));
    lean_object *value = lean_nat_lor(shifted, low_part);
    lean_dec(high_part);
    lean_dec(low_part);
    lean_dec(shifted);
    return value;
}

static void write_digits(lean_object *value, size_t count) {
    if (count <= WORD_DIGITS) {
        printf("%0*zx", (int)count, lean_unbox(value));
        return;
    }
    size_t low = count / 2;
    lean_object *one_beyond = lean_nat_shiftl(lean_box(1), lean_box(4 * low));
    lean_object *all = lean_nat_sub(one_beyond, lean_box(1));
    lean_object *low_part = lean_nat_land(value, all);
    lean_object *high_part = lean_nat_shiftr(value, lean_box(4 * low));
    write_digits(high_part, count - low);
    write_digits(low_part, low);
    lean_dec(one_beyond);
    lean_dec(all);
    lean_dec(low_part);
    lean_dec(high_part);
}

static void write_number(lean_object *value) {
    if (value == lean_box(0)) {
        putchar('0');
        return;
    }
    lean_object *log = lean_nat_log2(value);
    write_digits(value, lean_unbox(log) / 4 + 1);
    lean_dec(log);
}

static lean_object *empty(void) { return lean_box(0); }

/* The numbers of a line as a list, or nothing. */
static lean_object *read_line(const char *line, size_t length) {
    size_t numbers = 0;
    for (size_t at = 0, digits = 0; at <= length; at++) {
        if (at == length || line[at] == ' ') {
            if (digits == 0 || ++numbers > MOST_NUMBERS) return NULL;
            digits = 0;
        } else if ((line[at] >= '0' && line[at] <= '9') || (line[at] >= 'a' && line[at] <= 'f'))
            digits++;
        else
            return NULL;
    }
    /* From the last one on, for a list is made from its end. */
    lean_object *list = empty();
    size_t end = length;
    while (numbers--) {
        size_t start = end;
        while (start > 0 && line[start - 1] != ' ') start--;
        lean_object *cell = lean_alloc_ctor(1, 2, 0);
        lean_ctor_set(cell, 0, read_number(line + start, end - start));
        lean_ctor_set(cell, 1, list);
        list = cell;
        end = start ? start - 1 : 0;
    }
    return list;
}

static void *serve(void *ignored) {
    (void)ignored;
    lean_initialize_thread();
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) >= 0) {
        if (length && line[length - 1] == '\n') length--;
        lean_object *request = read_line(line, (size_t)length);
        if (request == NULL) {
            puts("1");
        } else {
            lean_object *answer = tracepact_answer(request);
            for (lean_object *cell = answer; !lean_is_scalar(cell); cell = lean_ctor_get(cell, 1)) {
                if (cell != answer) putchar(' ');
                write_number(lean_ctor_get(cell, 0));
            }
            putchar('\n');
            lean_dec(answer);
        }
        fflush(stdout);
    }
    free(line);
    return NULL;
}

int main(void) {
    lean_initialize_runtime_module();
    lean_object *started = initialize_Tracepact_Main(1);
    if (lean_io_result_is_error(started)) return 70;
    lean_dec_ref(started);
    lean_io_mark_end_initialization();
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) || pthread_create(&thread, &attributes, serve, NULL)) return 71;
    pthread_join(thread, NULL);
    return 0;
}
