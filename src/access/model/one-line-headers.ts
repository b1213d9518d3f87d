/** Headers of which Envoy makes one line, with commas, whatever a client sends; as Envoy 1.40 was seen to count them. */
const joined: ReadonlySet<string> = new Set(
  (
    'accept accept-encoding access-control-request-headers access-control-request-method ' +
    'access-control-request-private-network authorization cache-control cdn-loop connection content-encoding ' +
    'content-length content-type expect grpc-accept-encoding grpc-timeout host if-match if-modified-since ' +
    'if-none-match if-range if-unmodified-since keep-alive origin pragma proxy-connection proxy-status referer te ' +
    'transfer-encoding upgrade user-agent via x-client-trace-id x-envoy-attempt-count x-envoy-decorator-operation ' +
    'x-envoy-downstream-service-cluster x-envoy-downstream-service-node x-envoy-expected-rq-timeout-ms ' +
    'x-envoy-external-address x-envoy-force-trace x-envoy-hedge-on-per-try-timeout x-envoy-internal ' +
    'x-envoy-ip-tags x-envoy-is-timeout-retry x-envoy-max-retries x-envoy-original-host x-envoy-original-path ' +
    'x-envoy-original-url x-envoy-retriable-header-names x-envoy-retriable-status-codes x-envoy-retry-grpc-on ' +
    'x-envoy-retry-on x-envoy-upstream-alt-stat-name x-envoy-upstream-rq-per-try-timeout-ms ' +
    'x-envoy-upstream-rq-timeout-alt-response x-envoy-upstream-rq-timeout-ms x-envoy-upstream-stream-duration-ms ' +
    'x-forwarded-client-cert x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-proto x-request-id'
  ).split(' '),
);

/** Whether all lines of a header (lower case) count as one. */
export function isOneLine(name: string): boolean {
  return joined.has(name);
}
