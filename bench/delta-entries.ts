import { field } from './delta-wire.ts';

/** Names with their versions, kept once for all clients of a process. */
export class Entries {
  readonly #ids = new Map<string, number>();
  readonly names: string[] = [];
  readonly versions: string[] = [];
  readonly encoded: Buffer[] = [];

  idOf(name: string, version: string): number {
    const key = `${name}\n${version}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.names.push(name) - 1;
      this.versions.push(version);
      this.encoded.push(field(5, Buffer.concat([field(1, name), field(2, version)])));
      this.#ids.set(key, id);
    }
    return id;
  }
}
