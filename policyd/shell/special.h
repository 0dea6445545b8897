/*
 * special.h: the programs that special.c's table sends to other files. Each gets one
 * command and returns what it prints, or NULL.
 */
#ifndef POLICYD_SHELL_SPECIAL_H
#define POLICYD_SHELL_SPECIAL_H

#include "policyd/shell/sh.h"

/* net.c */
char *run_fetch(struct sh *sh, struct cmd *c);	 /* curl, wget */
char *run_netcat(struct sh *sh, struct cmd *c);	 /* nc, socat, openssl s_client */
char *run_carrier(struct sh *sh, struct cmd *c); /* mail, ftp, dig */
char *run_ssh(struct sh *sh, struct cmd *c);
char *run_copy(struct sh *sh, struct cmd *c); /* scp, rsync */

/* tools.c */
char *run_docker(struct sh *sh, struct cmd *c);
char *run_git(struct sh *sh, struct cmd *c);
char *run_database(struct sh *sh, struct cmd *c);
char *run_tar(struct sh *sh, struct cmd *c);
char *run_cmake(struct sh *sh, struct cmd *c);

#endif
