import { readNamedText } from '../lib/read-file.ts';
import type { ClusterAccess, ExecPlugin, TextOrFile } from './cluster-access.ts';
import { type ExecCredential, runPlugin } from './exec-plugin.ts';
import { KubernetesError } from './kubernetes-error.ts';

/** Credentials for one request. */
export interface CredentialsNow {
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** PEM; connections are kept as long as these stay the same. */
  readonly tls: {
    readonly ca: string | undefined;
    readonly cert: string | undefined;
    readonly key: string | undefined;
  };
}

/** Files are read again after so long; tokens of pods rotate minutes before they expire. */
const readAgainMs = 10_000;
/** A plugin is run again so long before what it gave expires. */
const earlyMs = 30_000;

interface Given {
  readonly credential: Promise<ExecCredential>;
  endsAt: number;
}

/** Reads the current credentials from files and plugins. */
export class Credentials {
  readonly #access: ClusterAccess;
  readonly #clock: () => number;
  readonly #files = new Map<string, { readonly text: string; readonly readAt: number }>();
  #given: Given | undefined;

  constructor(access: ClusterAccess, clock = Date.now) {
    this.#access = access;
    this.#clock = clock;
  }

  /** `KubernetesError` where a file cannot be read or a plugin gives nothing. */
  async now(): Promise<CredentialsNow> {
    const { token, certificate, roots, plugin, impersonation } = this.#access;
    const ca = await this.#read(roots);
    const given = plugin === undefined ? undefined : await this.#pluginNow(plugin, ca);
    const bearer = given?.token ?? (await this.#read(token))?.trim();
    if (bearer !== undefined && !/^[\x21-\x7e]+$/.test(bearer)) {
      throw new KubernetesError(
        'credentials-unusable',
        `the token of ${this.#access.name} is empty, or not one word of ASCII`,
      );
    }
    const headers: Record<string, string | string[]> = {};
    if (bearer !== undefined) headers.authorization = `Bearer ${bearer}`;
    for (const [name, value] of Object.entries(impersonation))
      headers[name] = typeof value === 'string' ? value : [...value];
    const [cert, key] = given?.certificate
      ? [given.certificate.chain, given.certificate.key]
      : [await this.#read(certificate?.chain), await this.#read(certificate?.key)];
    return { headers, tls: { ca, cert, key } };
  }

  /** The server refused them: what is kept of files and plugins is forgotten. */
  refused(): void {
    this.#files.clear();
    this.#given = undefined;
  }

  /** One run serves all who ask meanwhile, and afterwards until it expires. */
  #pluginNow(plugin: ExecPlugin, roots: string | undefined): Promise<ExecCredential> {
    if (this.#given === undefined || this.#given.endsAt <= this.#clock()) {
      const given: Given = { credential: runPlugin(plugin, this.#access, roots), endsAt: Number.POSITIVE_INFINITY };
      given.credential.then(
        ({ expiresAt }) => {
          if (expiresAt !== undefined) given.endsAt = expiresAt - earlyMs;
        },
        () => {
          if (this.#given === given) this.#given = undefined;
        },
      );
      this.#given = given;
    }
    return this.#given.credential;
  }

  async #read(of: TextOrFile | undefined): Promise<string | undefined> {
    if (of === undefined) return undefined;
    if ('text' in of) return of.text;
    const kept = this.#files.get(of.file);
    if (kept !== undefined && this.#clock() - kept.readAt < readAgainMs) return kept.text;
    try {
      const text = await readNamedText(of.file, 'latin1');
      this.#files.set(of.file, { text, readAt: this.#clock() });
      return text;
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
      throw new KubernetesError(
        'credentials-unusable',
        `cannot read "${of.file}" (${code}), which ${this.#access.name} needs`,
        { cause },
      );
    }
  }
}
