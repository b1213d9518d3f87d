import { gateway, grant, listener, route, to } from './standard-objects.ts';

const all = ', allowedRoutes: {namespaces: {from: All}}';
const open = gateway(listener('http', all));
const exact = (path: string): string => `{path: {type: Exact, value: ${path}}}`;
const prefix = (path: string): string => `{path: {type: PathPrefix, value: ${path}}}`;
const header = (name: string, value: string): string => `{name: ${name}, value: ${value}}`;

/** Objects of HTTPRoutes and their Gateway by what is tried of the standard. */
export const httpRouteObjects = {
  simple: open + route('infra/simple', [`{${to('v1')}}`]),
  'exact paths':
    open +
    route('infra/exact', [
      `{matches: [${exact('/one')}], ${to('v1')}}`,
      `{matches: [${exact('/two')}], ${to('v2')}}`,
      `{matches: [${exact('/Two')}], ${to('v3')}}`,
    ]),
  'order of paths':
    open +
    route('infra/order', [
      `{matches: [${prefix('/match')}], ${to('v1')}}`,
      `{matches: [${prefix('/match/prefix/one/')}], ${to('v2')}}`,
      `{matches: [${exact('/match/exact')}], ${to('v3')}}`,
      `{matches: [${prefix('/match/exact')}], ${to('v2')}}`,
      `{matches: [{path: {type: RegularExpression, value: "/other/[0-9]+"}}], ${to('v3')}}`,
    ]),
  headers:
    open +
    route('infra/headers', [
      `{matches: [{headers: [${header('version', 'one')}]}], ${to('v1')}}`,
      `{matches: [{headers: [${header('version', 'two')}]}], ${to('v2')}}`,
      `{matches: [{headers: [${header('version', 'two')}, ${header('Color', 'orange')}]}], ${to('v1')}}`,
      `{matches: [{headers: [${header('color', 'blue')}]}, {headers: [${header('color', 'green')}]}], ${to('v1')}}`,
      `{matches: [{headers: [{type: RegularExpression, name: color, value: "(red|yellow)"}]}], ${to('v2')}}`,
    ]),
  'methods and parameters':
    open +
    route('infra/more', [
      `{matches: [{method: POST}], ${to('v1')}}`,
      `{matches: [{queryParams: [${header('animal', 'whale')}]}], ${to('v2')}}`,
      `{matches: [{queryParams: [${header('animal', 'whale')}, ${header('color', 'blue')}]}], ${to('v3')}}`,
      `{matches: [{method: PUT, headers: [${header('version', 'one')}]}, ${prefix('/put')}], ${to('v3')}}`,
    ]),
  'matches across routes':
    open +
    route('infra/first', [`{matches: [${prefix('/')}, {headers: [${header('version', 'one')}]}], ${to('v1')}}`], {
      hostnames: ['example.com', 'example.net'],
      month: 1,
    }) +
    route('infra/second', [`{matches: [${prefix('/v2')}, {headers: [${header('version', 'two')}]}], ${to('v2')}}`], {
      hostnames: ['example.com'],
      month: 2,
    }),
  'age and name':
    open +
    route('infra/b-older', [`{matches: [${prefix('/age')}], ${to('v1')}}`], { month: 1 }) +
    route('infra/a-newer', [`{matches: [${prefix('/age')}, ${prefix('/name')}], ${to('v2')}}`], { month: 2 }) +
    route('infra/c-newer', [`{matches: [${prefix('/name')}], ${to('v3')}}`], { month: 2 }),
  'host names of routes':
    gateway(listener('http', ', hostname: "*.wild.org"')) +
    route('infra/exact', [`{matches: [${prefix('/s1')}], ${to('v1')}}`], {
      hostnames: ['very.specific.com', 'non.matching.com', 'one.wild.org', 'wild.org'],
    }) +
    route('infra/wild', [`{matches: [${prefix('/s2')}], ${to('v2')}}`], { hostnames: ['*.two.wild.org', '*.org'] }),
  'host names of listeners':
    gateway(
      listener('exact', ', hostname: bar.com'),
      listener('within', ', hostname: foo.bar.com'),
      listener('wild', ', hostname: "*.bar.com"'),
      listener('wilder', ', hostname: "*.foo.com"'),
    ) +
    route('infra/one', [`{${to('v1')}}`], { parent: ', sectionName: exact' }) +
    route('infra/two', [`{matches: [${prefix('/two')}], ${to('v2')}}`], { parent: ', sectionName: within' }) +
    route('infra/three', [`{${to('v3')}}`], { parent: ', sectionName: wild' }) +
    route('infra/four', [`{${to('v3')}}`], { parent: ', sectionName: wilder' }),
  'listener isolation':
    gateway(
      listener('any'),
      listener('wild', ', hostname: "*.example.com"'),
      listener('wilder', ', hostname: "*.foo.example.com"'),
      listener('exact', ', hostname: abc.foo.example.com'),
    ) +
    ['any', 'wild', 'wilder', 'exact']
      .map((name) =>
        route(`infra/${name}`, [`{matches: [${prefix(`/${name}`)}], ${to('v1')}}`], {
          parent: `, sectionName: ${name}`,
          hostnames: ['bar.com', '*.example.com', '*.foo.example.com', 'abc.foo.example.com'],
        }),
      )
      .join(''),
  'ports and namespaces':
    gateway(
      listener('same'),
      '{name: selected, port: 8080, protocol: HTTP, allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {team: web}}}}}',
    ) +
    route('infra/same', [`{${to('v1')}}`]) +
    route('web/other', [`{${to('web/app')}}`]),
  'one port alone':
    gateway(listener('first'), '{name: second, port: 8080, protocol: HTTP}') +
    route('infra/port', [`{${to('v1')}}`], { parent: ', port: 8080' }) +
    route('infra/rest', [`{${to('v2')}}`], { parent: ', sectionName: first' }),
  'no such section': gateway(listener('http')) + route('infra/lost', [`{${to('v1')}}`], { parent: ', sectionName: x' }),
  'no grant': open + route('infra/reference', [`{matches: [${prefix('/v2')}], ${to('web/app')}}`, `{${to('v1')}}`]),
  'a grant': open + route('infra/reference', [`{${to('web/app')}}`]) + grant('infra'),
  'a grant for others': open + route('infra/reference', [`{${to('web/app')}}`]) + grant('elsewhere'),
  'a grant for another Service':
    open + route('infra/reference', [`{${to('web/app')}}`]) + grant('infra', '{group: "", kind: Service, name: other}'),
  'unusable backends':
    open +
    route('infra/unusable', [
      `{matches: [${exact('/gone')}], ${to('gone')}}`,
      `{matches: [${exact('/kind')}], backendRefs: [{group: example.com, kind: Bucket, name: v1}]}`,
      `{matches: [${exact('/port')}], backendRefs: [{name: v1, port: 9}]}`,
      `{matches: [${exact('/none')}]}`,
      `{matches: [${exact('/zero')}], ${to(['v1', 0])}}`,
      `{matches: [${exact('/half')}], ${to('v1', 'gone')}}`,
    ]),
  weights: open + route('infra/weights', [`{${to(['v1', 70], ['v2', 30], ['v3', 0])}}`]),
  redirects:
    open +
    route('infra/redirects', [
      `{matches: [${prefix('/host')}], filters: [{type: RequestRedirect, requestRedirect: {hostname: example.org}}]}`,
      `{matches: [${prefix('/status')}], filters: [{type: RequestRedirect, requestRedirect: {hostname: example.org, statusCode: 301}}]}`,
      `{matches: [${prefix('/scheme')}], filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]}`,
      `{matches: [${prefix('/port')}], filters: [{type: RequestRedirect, requestRedirect: {port: 8443, scheme: https, statusCode: 308}}]}`,
    ]),
  'changed headers':
    open +
    route('infra/set', [
      `{matches: [${exact('/set')}], filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [${header('X-Set', '"100%"')}]}}], ${to('v1')}}`,
      `{matches: [${exact('/add')}], filters: [{type: RequestHeaderModifier, requestHeaderModifier: {add: [${header('x-add', 'more')}]}}], ${to('v1')}}`,
      `{matches: [${exact('/remove')}], filters: [{type: RequestHeaderModifier, requestHeaderModifier: {remove: [X-Remove]}}], ${to('v1')}}`,
      `{matches: [${exact('/answer')}], filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [${header('x-set', 'new')}], remove: [x-debug]}}], ${to('v1')}}`,
      `{matches: [${exact('/backend')}], backendRefs: [{name: v1, port: 8080, filters: [{type: RequestHeaderModifier, requestHeaderModifier: {set: [${header('x-set', 'v1')}]}}]}]}`,
    ]),
  rewrites:
    open +
    route('infra/rewrites', [
      `{matches: [${prefix('/prefix/one')}], filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /one}}}], ${to('v1')}}`,
      `{matches: [${prefix('/strip')}], filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /}}}], ${to('v1')}}`,
      `{matches: [${prefix('/full')}], filters: [{type: URLRewrite, urlRewrite: {hostname: one.example.org, path: {type: ReplaceFullPath, replaceFullPath: /one}}}], ${to('v1')}}`,
      `{filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /root}}}], ${to('v1')}}`,
    ]),
  mirrors:
    open +
    route('infra/mirrors', [
      `{filters: [{type: RequestMirror, requestMirror: {backendRef: {name: v2, port: 8080}}}, {type: RequestMirror, requestMirror: {backendRef: {name: v3, port: 8080}}}], ${to('v1')}}`,
    ]),
  timeouts:
    open +
    route('infra/timeouts', [
      `{matches: [${prefix('/request')}], timeouts: {request: 150ms}, ${to('v1')}}`,
      `{matches: [${prefix('/never')}], timeouts: {request: 0s}, ${to('v1')}}`,
    ]),
} as const;

export type Gate = keyof typeof httpRouteObjects;
