import { execFileSync } from 'node:child_process';

/**
 * Writes a shell script that may be run, by another process. Of what this one writes itself, a process that a test in
 * another thread starts at that moment has a copy of the open file for an instant, and then nobody may run it (ETXTBSY).
 */
export function writeProgram(path: string, script: string): void {
  execFileSync('sh', ['-c', 'cat > "$0" && chmod 755 "$0"', path], { input: `#!/bin/sh\n${script}\n` });
}
