/* SPDX-License-Identifier: MIT */
/**
 * DOC: Programs as files
 *
 * A program file holds all that a run needs: the plan, the constants, names and shapes of inputs,
 * outputs and states, and the chip that it was planned for. Documentation/program-file.rst
 * describes its bytes. The same program gives the same file, to the byte.
 *
 * A file is not trusted: a loaded one was checked to the last field, and its plan was
 * proved safe for the chip in the file by the verifier that a device has as well.
 *
 * Threads: a file that was loaded does not change, so that any number of threads may use it.
 */
#ifndef LOOM_PROGRAM_FILE_H
#define LOOM_PROGRAM_FILE_H

#include "loom.h"
#include "loom_program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct loom_program_file;

/**
 * struct loom_program_origin - chip and options of a program
 * @chip: for which chip
 * @objective: the minimised cost, an enum loom_planner_objective
 * @library: version of the library that wrote the file, as LOOM_VERSION; not read by writers
 */
struct loom_program_origin {
	const struct drm_loom_chip *chip;
	uint32_t objective;
	uint32_t library;
};

/**
 * struct loom_program_section - a part of a file
 * @name: name of its content, "plan", "weights", ...; the library's
 * @offset: first byte in the file
 * @size_bytes: number of bytes
 * @count: number of records, 0 if it is not made of records
 */
struct loom_program_section {
	const char *name;
	uint64_t offset;
	uint64_t size_bytes;
	uint32_t count;
};

/**
 * loom_program_write() - a program as the bytes of a file
 * @program: the program; stays the caller's
 * @origin: chip and options of the program
 * @bytes: [out] the bytes, from malloc
 * @size_bytes: [out] number of @bytes
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0; -EINVAL for a name with control characters, and for an origin without a chip that
 * makes sense or with one of other lanes than the program's; -E2BIG; -ENOMEM; -EOPNOTSUPP on a
 * machine that is not little endian.
 */
int loom_program_write(const struct loom_program *program,
		       const struct loom_program_origin *origin, void **bytes, size_t *size_bytes,
		       struct loom_error *err);

/**
 * loom_program_write_set() - several programs as the bytes of one file
 * @programs: the programs, such as those of one model with several shapes; stay the caller's
 * @count: number of @programs, 1 to 64
 * @origin: chip and options of all of them
 * @bytes: [out] the bytes, from malloc
 * @size_bytes: [out] number of @bytes
 * @err: [out] one line on failure, may be NULL
 *
 * Weights that several programs have are there once, and at one place in the buffers of all of
 * them, so that sessions of the programs of the file, once loaded, can share the buffers:
 * loom_session_create_beside(). Cycles stay the same.
 *
 * Return: as loom_program_write(); -EINVAL for another @count, too, and for a program that is not
 * of the planner, whose plan reads other bytes of the weights' buffers than those of weights.
 */
int loom_program_write_set(const struct loom_program *const *programs, uint32_t count,
			   const struct loom_program_origin *origin, void **bytes,
			   size_t *size_bytes, struct loom_error *err);

/**
 * loom_program_load() - opens a program file
 * @path: the file. It is mapped: to replace it while it is loaded, rename another file over it,
 *	and does not cut it short
 * @file: [out] release with loom_program_unload()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: 0; the errno of opening it; -EINVAL for a file that is none, is of another version, or
 * is damaged; -EBADMSG for a plan that was refused; -EOPNOTSUPP on a machine that is not little
 * endian; -ENOMEM.
 */
int loom_program_load(const char *path, struct loom_program_file **file, struct loom_error *err);

/**
 * loom_program_parse() - the same from memory
 * @bytes: the bytes of a file, which must outlive @file
 * @size_bytes: number of @bytes
 * @name: stands for the file in errors
 * @file: [out] release with loom_program_unload()
 * @err: [out] one line on failure, may be NULL
 *
 * Return: as loom_program_load().
 */
int loom_program_parse(const void *bytes, size_t size_bytes, const char *name,
		       struct loom_program_file **file, struct loom_error *err);

/**
 * loom_program_unload() - closes a program file
 * @file: the file, after its sessions were destroyed; NULL is fine
 */
void loom_program_unload(struct loom_program_file *file);

/**
 * loom_program_file_is() - whether a file begins as program files do
 * @path: the file
 *
 * Return: true if it does; nothing else of it is checked. False for a file that cannot be read.
 */
bool loom_program_file_is(const char *path);

/**
 * loom_program_file_program() - the program of a file; of several the first
 * @file: the file
 *
 * Return: the program, which lives as long as @file, and is not destroyed.
 */
const struct loom_program *loom_program_file_program(const struct loom_program_file *file);

/**
 * loom_program_file_count() - number of programs of a file
 * @file: the file
 *
 * Return: 1, or more of a file by loom_program_write_set().
 */
uint32_t loom_program_file_count(const struct loom_program_file *file);

/**
 * loom_program_file_at() - the programs of a file one by one
 * @file: the file
 * @index: from 0, in the order in which they were given
 *
 * Return: the program, as loom_program_file_program(); NULL past the last.
 */
const struct loom_program *loom_program_file_at(const struct loom_program_file *file,
						uint32_t index);

/**
 * loom_program_file_origin() - chip and options of the programs of a file
 * @file: the file
 *
 * Return: a record that lives as long as @file.
 */
const struct loom_program_origin *
loom_program_file_origin(const struct loom_program_file *file);

/**
 * loom_program_file_section() - the sections of a file one by one
 * @file: the file
 * @index: from 0, in the order in which they are in the file
 * @section: [out] its description
 *
 * Return: 0, -ENOENT past the last.
 */
int loom_program_file_section(const struct loom_program_file *file, uint32_t index,
			      struct loom_program_section *section);

/**
 * loom_program_file_fits() - whether a device fits the chip of a program
 * @file: the file
 * @chip: of the device
 * @err: [out] the first figure that is another one, may be NULL
 *
 * Memories must be alike: banks, sub-banks, alignment, and whether the engine computes in them;
 * and the device must have at least the types and operations. That the plan fits into the banks
 * is for the verifier and the allocator of the device to say, and other clocks change no result.
 *
 * Return: 0 or -EXDEV.
 */
int loom_program_file_fits(const struct loom_program_file *file, const struct drm_loom_chip *chip,
			   struct loom_error *err);

#ifdef __cplusplus
}
#endif

#endif /* LOOM_PROGRAM_FILE_H */
