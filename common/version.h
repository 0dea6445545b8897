/*
 * version.h: what the three programs call this release.
 */
#ifndef COMMON_VERSION_H
#define COMMON_VERSION_H

#define TXFS_VERSION "0.1"

#endif
