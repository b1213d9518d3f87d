import type { SourceFile } from '../../../source/document.ts';
import type { RegistryFigures } from '../registry.ts';
import type { ServiceSource } from '../service-source.ts';
import { judgeRegistration } from './judge-registration.ts';
import { type RegistrationReply, serveRegistrations } from './serve-registrations.ts';

/** Kinds whose change is nothing but one of endpoints. */
const ofEndpoints: ReadonlySet<string> = new Set(['Pod', 'WorkloadEntry', 'Endpoints', 'EndpointSlice']);

/** All that programs may register, in bytes. */
const mostBytes = 256 << 20;

interface Registration {
  readonly file: SourceFile;
  readonly kinds: readonly string[];
}

/**
 * The registry `Mock`: services in memory, which programs register over HTTP on a Unix socket that only this user can open,
 * and which are gone when `meshd` ends. It has none at first, and knows that.
 */
export class RegisteredServices implements ServiceSource {
  readonly hasSynced = true;
  readonly #socket: string;
  readonly #registrations = new Map<string, Registration>();
  #bytes = 0;
  #onChange: Parameters<ServiceSource['start']>[0] = () => undefined;
  #server: { close(): Promise<void> } | undefined;

  constructor(socket: string) {
    this.#socket = socket;
  }

  get files(): readonly SourceFile[] {
    return [...this.#registrations.values()].map(({ file }) => file);
  }

  get figures(): readonly RegistryFigures[] {
    const objects = [...this.#registrations.values()].reduce((all, { kinds }) => all + kinds.length, 0);
    const now = Date.now();
    return [{ kind: 'Mock', group: '', objects, held: 0, hasSynced: true, heardAt: now, problem: undefined }];
  }

  /** `ControlError` where the socket cannot be served. */
  async start(onChange: Parameters<ServiceSource['start']>[0]): Promise<void> {
    this.#onChange = onChange;
    this.#server = await serveRegistrations(this.#socket, {
      list: () => [...this.#registrations].map(([name, { kinds }]) => ({ name, kinds })),
      put: (name, text) => this.#put(name, text),
      delete: (name) => this.#delete(name),
    });
  }

  close(): void {
    void this.#server?.close();
  }

  #put(name: string, text: string): RegistrationReply {
    const path = `registered/${name}`;
    const before = this.#registrations.get(name);
    const bytes = this.#bytes - (before?.file.text.length ?? 0) + text.length;
    if (bytes > mostBytes) return { status: 413, body: { error: `all registrations have ${mostBytes} bytes at most` } };
    const file: SourceFile = { path, text, isSizeChecked: true };
    const { kinds, problem } = judgeRegistration(file);
    if (problem !== undefined) return { status: 422, body: { error: problem } };
    if (before?.file.text === text) return { status: 200, body: { name, kinds } };
    this.#bytes = bytes;
    this.#registrations.set(name, { file, kinds });
    this.#tell([...kinds, ...(before?.kinds ?? [])]);
    return { status: before === undefined ? 201 : 200, body: { name, kinds } };
  }

  #delete(name: string): RegistrationReply {
    const before = this.#registrations.get(name);
    if (before === undefined) return { status: 404, body: { error: `nothing is registered as "${name}"` } };
    this.#registrations.delete(name);
    this.#bytes -= before.file.text.length;
    this.#tell(before.kinds);
    return { status: 200, body: { name, kinds: before.kinds } };
  }

  #tell(kinds: readonly string[]): void {
    this.#onChange({ isEndpoints: kinds.every((kind) => ofEndpoints.has(kind)) });
  }
}
