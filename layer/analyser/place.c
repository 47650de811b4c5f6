/* SPDX-License-Identifier: MIT */
#include "layer/analyser/place.h"
#include "layer/analyser/map.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

/* A file as debug information has it: neither part ends in 0. */
struct file {
    const char *folder, *name;
    unsigned folder_length, name_length;
};

/* The file that clang was given. */
static struct file main_file(LLVMModuleRef module)
{
    struct file file = {"", "", 0, 0};
    LLVMValueRef unit;

    if (LLVMGetNamedMetadataNumOperands(module, "llvm.dbg.cu") != 1) {
        return file;
    }
    LLVMGetNamedMetadataOperands(module, "llvm.dbg.cu", &unit);
    LLVMMetadataRef described = LLVMDIScopeGetFile(LLVMValueAsMetadata(unit));
    if (described) {
        file.folder = LLVMDIFileGetDirectory(described, &file.folder_length);
        file.name = LLVMDIFileGetFilename(described, &file.name_length);
    }
    return file;
}

/* The whole path. The same file may be cut at different places, or told from where clang ran. */
static char *path_of(const struct file *file)
{
    char *path = cx_alloc((size_t)file->folder_length + file->name_length + 2, 1), *to = path;
    const char *name = file->name;
    unsigned length = file->name_length;

    while (length > 2 && memcmp(name, "./", 2) == 0) {
        name += 2;
        length -= 2;
    }
    if (length && *name != '/' && file->folder_length) {
        to = mempcpy(to, file->folder, file->folder_length);
        *to++ = '/';
    }
    memcpy(to, name, length);
    return path;
}

static bool is_named(const struct file *file, const char *name)
{
    return file->name_length == strlen(name) && memcmp(file->name, name, strlen(name)) == 0;
}

static bool is_same(const struct file *a, const struct file *b)
{
    char *first, *second;
    bool same;

    if ((a->name == b->name && a->folder == b->folder) || (is_named(a, "-") && is_named(b, "<stdin>"))) {
        return true;
    }
    first = path_of(a);
    second = path_of(b);
    same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

/* Its number among the kernel's files, from 1 on; 0: too many. */
static uint32_t number_of(struct cx_summary_kernel *k, const struct file *file)
{
    struct file shown = {.folder = "", .name = file->name, .name_length = file->name_length};
    char *name = path_of(&shown);

    for (uint32_t i = 0; i < k->nfile; i++) {
        if (strcmp(k->file[i], name) == 0) {
            free(name);
            return i + 1;
        }
    }
    if (k->nfile == CX_PLACE_FILES) {
        free(name);
        return 0;
    }
    k->file = cx_realloc(k->file, k->nfile + 1, sizeof(*k->file));
    k->file[k->nfile++] = name;
    return k->nfile;
}

uint32_t cx_place_of(struct cx_summary_kernel *kernel, LLVMValueRef value)
{
    LLVMModuleRef module = LLVMGetGlobalParent(
        LLVMIsAFunction(value) ? value : LLVMGetBasicBlockParent(LLVMGetInstructionParent(value)));
    uint32_t line = LLVMGetDebugLocLine(value), number;
    struct file own = main_file(module), file = {0};

    file.folder = LLVMGetDebugLocDirectory(value, &file.folder_length);
    file.name = LLVMGetDebugLocFilename(value, &file.name_length);
    if (line == 0 || line > CX_PLACE_LINES || !own.name_length || !file.name || !file.name_length) {
        return line > CX_PLACE_LINES ? 0 : line;
    }
    if (is_same(&own, &file)) {
        return line;
    }
    number = number_of(kernel, &file);
    return number ? cx_summary_line(number, line) : 0;
}
