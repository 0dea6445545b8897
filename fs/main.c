/*
 * main.c: the program txfs.
 */
#include "fs/cmd/cmd.h"

int main(int argc, char **argv)
{
	return cmd_main(argc, argv);
}
