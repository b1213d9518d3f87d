import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createTokenMint, type TokenMint } from '../src/control/testing/token-mint.ts';
import { Program } from './program.ts';

export interface MeshdSurroundings {
  readonly nodeFlags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** `meshd serve` in a working directory of its own, with an issuer of tokens that lives here. */
export class Meshd {
  readonly folder: string;
  readonly mint: TokenMint = createTokenMint();
  #program: Program | undefined;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(
    keyAlgorithm: 'ECDSA' | 'RSA',
    flags: readonly string[] = [],
    { nodeFlags = [], environment = {} }: MeshdSurroundings = {},
  ): Promise<Meshd> {
    const meshd = new Meshd(await mkdtemp(join(tmpdir(), 'bench-meshd-')));
    await writeFile(join(meshd.folder, 'keys.json'), meshd.mint.keySet);
    const tokens = ['--tokenKeys', 'keys.json', '--tokenIssuer', meshd.mint.issuer];
    const program = [process.execPath, ...nodeFlags, resolve('dist/meshd.js')];
    const command = [...program, 'serve', '--caKeyAlgorithm', keyAlgorithm, ...tokens];
    meshd.#program = new Program([...command, ...flags], {
      folder: meshd.folder,
      environment: { MESHD_CUSTOM_HOST: 'localhost', ...environment },
    });
    await meshd.#program.seen('serving gRPC over TLS');
    return meshd;
  }

  /** Of the TLS listener, when no flag says otherwise. */
  readonly port = 15_012;

  get pid(): number {
    return this.#program?.pid ?? 0;
  }

  /** When its output holds the text. */
  async seen(text: string): Promise<void> {
    await this.#program?.seen(text);
  }

  get output(): string {
    return this.#program?.output ?? '';
  }

  /** PEM of what its agents trust. */
  root(): Promise<string> {
    return readFile(join(this.folder, 'var/lib/mesh/ca/self-signed-root.pem'), 'utf8');
  }

  async end(): Promise<void> {
    await this.#program?.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}
