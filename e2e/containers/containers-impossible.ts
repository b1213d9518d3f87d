import { existsSync } from 'node:fs';

/** Whether `make setup` could not install what containers need; says so on standard error. */
export function areContainersImpossible(): boolean {
  const base = new URL('../../.tools/container-base.tar', import.meta.url);
  if (process.getuid?.() === 0 && existsSync(base)) return false;
  process.stderr.write('SKIPPED: containers need root, and what make setup installs with apt-get\n');
  return true;
}
