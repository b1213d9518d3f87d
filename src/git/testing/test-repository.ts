import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A repository of its own in a new folder, with the branch `main`. */
export class TestRepository {
  /** Holds the repository, and whatever is made of it. */
  readonly home = mkdtempSync(join(tmpdir(), 'git-'));
  readonly folder = join(this.home, 'repository');

  constructor() {
    mkdirSync(this.folder);
    this.git('init', '-q', '-b', 'main');
  }

  /** What git prints, without the last line feed; in the repository, with nothing of the user's settings. */
  git(...args: readonly string[]): string {
    return this.gitIn(this.folder, args);
  }

  gitIn(folder: string, args: readonly string[], input = ''): string {
    const person = { NAME: 'a', EMAIL: 'a@example.com', DATE: '2026-01-02T03:04:05Z' };
    const people = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
      Object.entries(person).map(([field, value]) => [`GIT_${role}_${field}`, value]),
    );
    const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', ...Object.fromEntries(people) };
    const options = ['-c', 'protocol.file.allow=always'];
    return execFileSync('git', [...options, ...args], {
      cwd: folder,
      env,
      input,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trimEnd();
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  /** Commits these files and whatever else differs, on the branch of now; gives the commit's id. */
  commit(files: Readonly<Record<string, string>> = {}): string {
    this.write(files);
    this.git('add', '--all');
    this.git('commit', '-q', '--allow-empty', '-m', 'change');
    return this.git('rev-parse', 'HEAD');
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
