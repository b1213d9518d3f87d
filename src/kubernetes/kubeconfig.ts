import { dirname, isAbsolute, join } from 'node:path';
import yaml from 'js-yaml';
import type { ClusterAccess, ExecPlugin, TextOrFile } from './cluster-access.ts';
import { KubernetesError } from './kubernetes-error.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that are read, and those that say nothing about the connection. All others are refused: none is passed over. */
const known = {
  config: ['apiVersion', 'kind', 'current-context', 'clusters', 'contexts', 'users', 'preferences', 'extensions'],
  named: ['name'],
  cluster: [
    ...['server', 'certificate-authority', 'certificate-authority-data', 'insecure-skip-tls-verify', 'tls-server-name'],
    ...['proxy-url', 'disable-compression', 'extensions'],
  ],
  context: ['cluster', 'user', 'namespace', 'extensions'],
  user: [
    ...['token', 'tokenFile', 'client-certificate', 'client-certificate-data', 'client-key', 'client-key-data', 'exec'],
    ...['as', 'as-uid', 'as-groups', 'as-user-extra', 'extensions'],
  ],
  exec: ['apiVersion', 'command', 'args', 'env', 'installHint', 'interactiveMode', 'provideClusterInfo'],
} as const;

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'] as const;

/**
 * Access as a context of a kubeconfig describes it; `context` undefined means the current one. Throws `KubernetesError` for
 * what is missing, has another type, or is not supported: passwords and `auth-provider` (both removed from Kubernetes), and
 * unknown fields.
 */
export function accessOfKubeconfig(path: string, text: string, context: string | undefined): ClusterAccess {
  return new KubeconfigReader(path, text).access(context);
}

class KubeconfigReader {
  readonly #path: string;
  readonly #config: Fields;

  constructor(path: string, text: string) {
    this.#path = path;
    let value: unknown;
    try {
      value = yaml.load(text);
    } catch {
      // The parser's own message quotes the text, and with it keys.
      this.#refuse('is not YAML');
    }
    if (value === undefined || value === null) this.#refuse('is empty');
    if (typeof value !== 'object' || Array.isArray(value))
      this.#refuse('has no fields such as clusters, contexts and users');
    this.#config = this.#object(value, 'the file', known.config);
    if (this.#config.kind !== 'Config') this.#refuse('has another kind than Config');
  }

  access(context = this.#text(this.#config, 'current-context')): ClusterAccess {
    if (context === undefined) this.#refuse('has no current-context: name one with --context');
    const { cluster, user, namespace } = this.#named('contexts', 'context', context, known.context);
    const place = this.#named('clusters', 'cluster', this.#name(cluster, 'cluster', context), known.cluster);
    const identity = this.#named('users', 'user', this.#name(user, 'user', context), known.user);
    const inPlace = `cluster "${String(cluster)}"`;
    const inUser = `user "${String(user)}"`;
    const certificate = this.#textOrFile(identity, 'client-certificate', inUser);
    const key = this.#textOrFile(identity, 'client-key', inUser);
    if ((certificate === undefined) !== (key === undefined)) {
      this.#refuse(`has a client certificate without its key, or a key without its certificate, in ${inUser}`);
    }
    const proxy = this.#text(place, 'proxy-url');
    const roots = this.#textOrFile(place, 'certificate-authority', inPlace);
    const isUnverified = this.#boolean(place, 'insecure-skip-tls-verify');
    if (isUnverified && roots !== undefined) {
      this.#refuse(`has insecure-skip-tls-verify and a certificate-authority in ${inPlace}: remove one of them`);
    }
    return {
      name: context,
      server: this.#server(place, inPlace),
      roots,
      serverName: this.#text(place, 'tls-server-name'),
      isUnverified,
      proxy: proxy === undefined ? undefined : this.#proxy(proxy, inPlace),
      namespace: typeof namespace === 'string' && namespace !== '' ? namespace : undefined,
      token: this.#token(identity),
      certificate: certificate && key && { chain: certificate, key },
      plugin: identity.exec === undefined ? undefined : this.#plugin(identity.exec, inUser),
      impersonation: this.#impersonation(identity, inUser),
    };
  }

  #server(place: Fields, where: string): URL {
    const text = this.#text(place, 'server') ?? '';
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol === 'https:' && url.username === '' && url.search === '') return url;
    return this.#refuse(
      `has the server "${text}" in ${where}: an https URL is expected, for tokens must not be sent in the clear`,
    );
  }

  #proxy(text: string, where: string): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
    return this.#refuse(`has the proxy-url "${text}" in ${where}: an http or https URL is expected`);
  }

  #token(user: Fields): TextOrFile | undefined {
    const file = this.#text(user, 'tokenFile');
    const text = this.#text(user, 'token');
    // A file wins: it may be written again.
    if (file !== undefined) return { file: this.#resolve(file) };
    return text === undefined ? undefined : { text };
  }

  #plugin(value: unknown, where: string): ExecPlugin {
    const exec = this.#object(value, `exec of ${where}`, known.exec);
    const apiVersion = versions.find((version) => version === exec.apiVersion);
    const command = this.#text(exec, 'command');
    if (apiVersion === undefined)
      this.#refuse(`has another apiVersion than ${versions.join(' or ')} in exec of ${where}`);
    if (command === undefined) this.#refuse(`has no command in exec of ${where}`);
    const mode = this.#text(exec, 'interactiveMode');
    if (mode === 'Always') this.#refuse(`has a plugin in ${where} that asks a person: nobody sits here`);
    if (mode !== undefined && mode !== 'Never' && mode !== 'IfAvailable')
      this.#refuse(`has the interactiveMode "${mode}" in exec of ${where}: Never or IfAvailable is expected`);
    const entries = this.#list(exec.env).map((entry) => {
      const { name, value } = this.#object(entry, `env in exec of ${where}`, ['name', 'value']);
      if (typeof name !== 'string' || !/^[^=\0]+$/.test(name) || typeof value !== 'string' || value.includes('\0'))
        this.#refuse(`has an entry in env in exec of ${where} that is not a name and a value, both text`);
      return [name, value] as const;
    });
    const args = this.#list(exec.args).map((arg) =>
      typeof arg === 'string' && !arg.includes('\0')
        ? arg
        : this.#refuse(`has an argument that is not text in exec of ${where}`),
    );
    return {
      apiVersion,
      // A path is that of the file's folder; a bare name is looked for in PATH.
      command: command.includes('/') ? this.#resolve(command) : command,
      args,
      environment: Object.fromEntries(entries),
      wantsCluster: this.#boolean(exec, 'provideClusterInfo'),
      installHint: this.#text(exec, 'installHint'),
    };
  }

  #impersonation(user: Fields, where: string): ClusterAccess['impersonation'] {
    const extra =
      user['as-user-extra'] === undefined ? {} : this.#object(user['as-user-extra'], `as-user-extra of ${where}`);
    const [as, uid] = [this.#text(user, 'as'), this.#text(user, 'as-uid')];
    const groups = this.#list(user['as-groups']).map((group) => this.#headerText(group, 'as-groups', where));
    if (as === undefined && (uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0)) {
      this.#refuse(`has as-uid, as-groups or as-user-extra without as, in ${where}`);
    }
    return {
      ...(as !== undefined && { 'Impersonate-User': this.#headerText(as, 'as', where) }),
      ...(uid !== undefined && { 'Impersonate-Uid': this.#headerText(uid, 'as-uid', where) }),
      ...(groups.length > 0 && { 'Impersonate-Group': groups }),
      ...Object.fromEntries(
        Object.entries(extra).map(([key, values]) => [
          `Impersonate-Extra-${encodeURIComponent(key)}`,
          this.#list(values).map((value) => this.#headerText(value, 'as-user-extra', where)),
        ]),
      ),
    };
  }

  /** The data that stands in the file wins over the name of a file, as with kubectl. */
  #textOrFile(fields: Fields, name: string, where: string): TextOrFile | undefined {
    const data = this.#text(fields, `${name}-data`);
    const file = this.#text(fields, name);
    if (data === undefined) return file === undefined ? undefined : { file: this.#resolve(file) };
    const text = Buffer.from(data, 'base64').toString('latin1');
    return text.includes('-----BEGIN')
      ? { text }
      : this.#refuse(`has a ${name}-data in ${where} that is not PEM in base64`);
  }

  #name(value: unknown, what: string, context: string): string {
    return typeof value === 'string' && value !== ''
      ? value
      : this.#refuse(`has no ${what} in the context "${context}"`);
  }

  /** The first of a name, as with kubectl. */
  #named(list: string, part: string, name: string, fields: readonly string[]): Fields {
    const entries = this.#list(this.#config[list]).map((entry) =>
      this.#object(entry, `an entry of ${list}`, ['name', part]),
    );
    const found = entries.find((entry) => this.#text(entry, 'name') === name);
    const names = entries.map((entry) => `"${String(entry.name)}"`).join(', ');
    if (found === undefined) this.#refuse(`has no ${part} "${name}" in ${list}: ${names || 'there is none'}`);
    return this.#object(found[part] ?? {}, `${part} "${name}"`, fields);
  }

  #object(value: unknown, what: string, fields?: readonly string[]): Fields {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      this.#refuse(`has no object where ${what} is`);
    const unknown = fields && Object.keys(value).find((key) => !fields.includes(key));
    if (unknown !== undefined) this.#refuse(`has the field "${unknown}" in ${what}, which is not supported`);
    return value as Fields;
  }

  #list(value: unknown): readonly unknown[] {
    if (value === undefined || value === null) return [];
    return Array.isArray(value) ? value : this.#refuse('has another value where a list is expected');
  }

  #text(fields: Fields, name: string): string | undefined {
    const value = fields[name];
    if (value === undefined || value === null || value === '') return undefined;
    return typeof value === 'string' ? value : this.#refuse(`has another value than text in ${name}`);
  }

  #boolean(fields: Fields, name: string): boolean {
    const value = fields[name] ?? false;
    return typeof value === 'boolean' ? value : this.#refuse(`has another value than true or false in ${name}`);
  }

  /** What a header can carry unchanged. */
  #headerText(value: unknown, name: string, where: string): string {
    if (typeof value === 'string' && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
    return this.#refuse(`has a value in ${name} of ${where} that is not text of ASCII letters, digits and signs`);
  }

  #resolve(file: string): string {
    return isAbsolute(file) ? file : join(dirname(this.#path), file);
  }

  #refuse(reason: string): never {
    throw new KubernetesError('cluster-access-unusable', `the kubeconfig "${this.#path}" ${reason}`);
  }
}
