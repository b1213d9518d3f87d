import { describe, expect, test } from 'vitest';
import { accessOfKubeconfig } from './kubeconfig.ts';

const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const data = Buffer.from(pem).toString('base64');

const config = (change: { cluster?: object; user?: object; context?: object; rest?: object } = {}): string =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a', preferences: {} },
    clusters: [
      {
        name: 'c',
        cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': data, ...change.cluster },
      },
    ],
    contexts: [{ name: 'a', context: { cluster: 'c', user: 'u', namespace: 'foo', ...change.context } }],
    users: [{ name: 'u', user: { ...change.user } }],
    ...change.rest,
  });

const read = (change?: Parameters<typeof config>[0], context?: string) =>
  accessOfKubeconfig('/etc/kube/config', config(change), context);

const plugin = { command: 'a', apiVersion: 'client.authentication.k8s.io/v1' };

describe('accessOfKubeconfig', () => {
  test("reads server, roots, namespace and credentials; relative file names start at the kubeconfig's folder", () => {
    const user = { tokenFile: 'token', 'client-certificate': 'c.pem', 'client-key-data': data };
    expect(read({ user, cluster: { 'tls-server-name': 'x', 'proxy-url': 'http://p:3128' } })).toMatchObject({
      ...{ name: 'a', namespace: 'foo', serverName: 'x', isUnverified: false, roots: { text: pem } },
      server: new URL('https://127.0.0.1:6443'),
      proxy: new URL('http://p:3128'),
      token: { file: '/etc/kube/token' },
      certificate: { chain: { file: '/etc/kube/c.pem' }, key: { text: pem } },
    });
  });

  test('reads the settings of impersonation', () => {
    const user = { token: 't', as: 'bob', 'as-uid': '7', 'as-groups': ['g1', 'g2'], 'as-user-extra': { 'a/b': ['c'] } };
    expect(read({ user }).impersonation).toEqual({
      'Impersonate-User': 'bob',
      'Impersonate-Uid': '7',
      'Impersonate-Group': ['g1', 'g2'],
      'Impersonate-Extra-a%2Fb': ['c'],
    });
  });

  test('uses the named context', () => {
    const rest = { contexts: [{ name: 'b', context: { cluster: 'c', user: 'u' } }], 'current-context': 'gone' };
    expect(read({ rest }, 'b').name).toBe('b');
  });

  test.each([
    ['another user field', { user: { 'auth-provider': { name: 'gcp' } } }, 'has the field "auth-provider" in user "u"'],
    ['a password', { user: { username: 'a', password: 'b' } }, 'has the field "username" in user "u"'],
    [
      'an unknown field of the cluster',
      { cluster: { 'skip-verify': true } },
      'has the field "skip-verify" in cluster "c"',
    ],
    ['plain HTTP', { cluster: { server: 'http://127.0.0.1' } }, 'an https URL is expected'],
    ['no server', { cluster: { server: '' } }, 'an https URL is expected'],
    ['a SOCKS proxy', { cluster: { 'proxy-url': 'socks5://a' } }, 'an http or https URL is expected'],
    ['a root that is no PEM', { cluster: { 'certificate-authority-data': 'eA==' } }, 'not PEM in base64'],
    ['a key without a certificate', { user: { 'client-key': 'k' } }, 'without its certificate'],
    ['groups for nobody', { user: { 'as-groups': ['g'] } }, 'without as'],
    ['a cluster that is not there', { context: { cluster: 'x' } }, 'has no cluster "x" in clusters: "c"'],
    ['a user that is not there', { context: { user: 'x' } }, 'has no user "x" in users: "u"'],
    ['no current context', { rest: { 'current-context': '' } }, 'has no current-context: name one with --context'],
    ['a list where an object is', { rest: { clusters: [[]] } }, 'has no object where an entry of clusters is'],
    ['a number as token', { user: { token: 7 } }, 'has another value than text in token'],
    [
      'a plugin of another version',
      { user: { exec: { command: 'a', apiVersion: 'client.authentication.k8s.io/v1alpha1' } } },
      'apiVersion',
    ],
    [
      'a plugin that asks a person',
      { user: { exec: { command: 'a', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Always' } } },
      'nobody sits here',
    ],
    ['another kind', { rest: { kind: 'Secret' } }, 'has another kind than Config'],
    ['a text for a switch', { cluster: { 'insecure-skip-tls-verify': 'true' } }, 'true or false in insecure-skip-tls'],
    ['roots that nothing is verified with', { cluster: { 'insecure-skip-tls-verify': true } }, 'remove one of them'],
    ['a line break in a header', { user: { as: 'a\r\nX: y' } }, 'has a value in as of user "u"'],
    [
      'a group with other letters',
      { user: { as: 'a', 'as-groups': ['jürgen'] } },
      'has a value in as-groups of user "u"',
    ],
    ['a number for a name', { rest: { contexts: [{ name: 1, context: {} }] } }, 'has another value than text in name'],
    ['a variable without a value', { user: { exec: { ...plugin, env: [{ name: 'A' }] } } }, 'not a name and a value'],
    ['a variable with NUL', { user: { exec: { ...plugin, env: [{ name: 'A', value: '\0' }] } } }, 'not a name and a'],
    ['a variable named A=B', { user: { exec: { ...plugin, env: [{ name: 'A=B', value: '' }] } } }, 'not a name and a'],
    ['an argument that is a number', { user: { exec: { ...plugin, args: [1] } } }, 'an argument that is not text'],
    ['an unknown mode', { user: { exec: { ...plugin, interactiveMode: 'never' } } }, 'has the interactiveMode "never"'],
  ])('refuses %s by name', (_what, change, message) => {
    expect(() => read(change)).toThrow(`the kubeconfig "/etc/kube/config" `);
    expect(() => read(change)).toThrow(message);
  });

  test.each([
    ['', 'is empty'],
    ['- a', 'has no fields such as clusters, contexts and users'],
    ['<html>', 'has no fields such as clusters, contexts and users'],
  ])('says of the text %j what is wrong with it', (text, message) => {
    expect(() => accessOfKubeconfig('k', text, undefined)).toThrow(`the kubeconfig "k" ${message}`);
  });

  test('never quotes what it cannot parse', () => {
    expect(() => accessOfKubeconfig('k', 'token: [secret', undefined)).toThrow(/^the kubeconfig "k" is not YAML$/);
  });
});
