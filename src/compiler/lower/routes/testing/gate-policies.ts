import { routes, v1 } from './routed-policies.ts';

/** What the proxy does beside choosing a destination, by gate: one proxy for each. */
export const policies = {
  redirect: routes(`[
    {match: [{uri: {exact: /path}}], redirect: {uri: /new}},
    {match: [{uri: {exact: /all}}], redirect: {scheme: https, authority: x.example, port: 8443, redirectCode: 308}},
    {redirect: {uri: /p, derivePort: FROM_REQUEST_PORT, redirectCode: 303}}]`),
  answer: routes(`[
    {match: [{uri: {exact: /text}}], directResponse: {status: 202, body: {string: hello}},
     headers: {response: {set: {content-type: text/x}}}},
    {match: [{uri: {exact: /bytes}}], directResponse: {status: 200, body: {bytes: aGk=}}},
    {directResponse: {status: 410, body: {string: "${'x'.repeat(9000)}"}}}]`),
  rewrite: routes(`[
    {match: [{uri: {exact: /old}}], rewrite: {uri: /new, authority: new.example}, ${v1}},
    {match: [{uri: {prefix: /p}}], rewrite: {uri: /}, ${v1}},
    {match: [{uri: {prefix: /q/}}], rewrite: {uri: /v2}, ${v1}},
    {match: [{uri: {prefix: /r.}}], rewrite: {uri: "/s\\\\1"}, ${v1}},
    {match: [{uri: {prefix: /Case}, ignoreUriCase: true}], rewrite: {uri: /low}, ${v1}},
    {match: [{uri: {regex: "/i/[0-9]+"}}], rewrite: {uri: /item}, ${v1}},
    {match: [{uri: {prefix: /u/}}],
     rewrite: {uriRegexRewrite: {match: "^/u/([^/]+)/(.*)$", rewrite: "/\\\\2/of/\\\\1"}}, ${v1}},
    {rewrite: {uri: /root}, ${v1}}]`),
  timeout: routes(`[{timeout: 150ms, ${v1}}]`),
  'try timeout': routes(`[{timeout: 2s, retries: {attempts: 2, perTryTimeout: 100ms, retryOn: 5xx}, ${v1}}]`),
  retries: routes(`[
    {match: [{uri: {prefix: /statuses}}], retries: {attempts: 3, retryOn: "409,503", backoff: 1ms}, ${v1}},
    {match: [{uri: {prefix: /off}}], retries: {attempts: 0}, ${v1}},
    {match: [{uri: {prefix: /5xx}}], retries: {attempts: 1, retryOn: 5xx, backoff: 1ms}, ${v1}},
    {${v1}}]`),
  fault: routes(`[
    {match: [{uri: {prefix: /abort}}], fault: {abort: {percentage: {value: 100}, httpStatus: 418}}, ${v1}},
    {match: [{uri: {prefix: /grpc}}], fault: {abort: {percent: 100, grpcStatus: UNAVAILABLE}}, ${v1}},
    {match: [{uri: {prefix: /slow}}], fault: {delay: {percentage: {value: 100}, fixedDelay: 300ms}}, ${v1}},
    {match: [{uri: {prefix: /none}}], fault: {abort: {percentage: {value: 0}, httpStatus: 418}}, ${v1}},
    {${v1}}]`),
  mirror: routes(`[
    {match: [{uri: {prefix: /none}}], mirror: {host: ratings.example}, mirrorPercentage: {value: 0}, ${v1}},
    {mirror: {host: ratings.example}, ${v1}}]`),
  cors: routes(`[{
    corsPolicy: {allowOrigins: [{exact: "https://app.example"}, {regex: "https://[a-z]+\\\\.dev"}],
    allowMethods: [GET, PUT], allowHeaders: [x-token], exposeHeaders: [x-app], maxAge: 1h, allowCredentials: true},
    ${v1}}]`),
  weights: routes(`[{route: [
    {destination: {host: reviews.example, subset: v1}, weight: 3, headers: {request: {set: {x-share: big}}}},
    {destination: {host: reviews.example, subset: v2}, weight: 1, headers: {request: {set: {host: small.example}}}},
    {destination: {host: ratings.example}, weight: 0}]}]`),
  headers: routes(`[{
    headers: {request: {set: {x-set: "100%%", :authority: set.example}, add: {x-add: b, x-who: "%REQ(X-USER)%"},
    remove: [X-Secret]}, response: {set: {x-app: v1}, add: {x-more: "1"}, remove: [x-debug]}},
    route: [{destination: {host: reviews.example, subset: v1}, headers: {request: {set: {x-destination: v1}}}}]}]`),
  'headers of both': routes(`[{
    headers: {request: {set: {x-team: route, :authority: route.example}, add: {x-add: route}, remove: [x-target]}},
    route: [${['v1', 'v2'].map(
      (subset) => `{destination: {host: reviews.example, subset: ${subset}}, weight: 1, headers: {
      request: {set: {x-team: target, x-target: a, :authority: target.example}, add: {x-add: target}}}}`,
    )}]}]`),
  emptied: routes(`[
    {match: [{uri: {exact: /mirrored}}], mirror: {host: named.example, subset: v2}, ${v1}},
    {match: [{uri: {exact: /shared}}], route: [
      {destination: {host: named.example, subset: v2}, weight: 99},
      {destination: {host: reviews.example, subset: v1}, weight: 1}]},
    {route: [{destination: {host: named.example, subset: v2}}]}]`),
  'no such subset': routes(`[{route: [{destination: {host: reviews.example, subset: v9}}]}]`),
};
