/*
 * path.h: paths by their text alone, so that no filesystem is asked (it may be dead).
 */
#ifndef COMMON_PATH_H
#define COMMON_PATH_H

/** path_absolute(path, out): absolute, without "." and ".." and double slashes, resolved
 * by its text alone. Caller frees. */
int path_absolute(const char *path, char **out);

/** path_below(path, top): what follows @top in @path ("" if equal), or NULL if @path is
 * not @top or below it. Both absolute; by components. */
const char *path_below(const char *path, const char *top);

#endif
