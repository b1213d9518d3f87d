import { describe, expect, test } from 'vitest';
import { otlpSettingsOf } from './otlp-settings.ts';

describe('otlpSettingsOf', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/' };

  test.each<[Readonly<Record<string, string>>]>([
    [{}],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=b' }],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  ])('sends no spans with %j', (environment) => {
    expect(otlpSettingsOf(environment, '1')).toBeUndefined();
  });

  test('adds the path to the endpoint for everything, and has the usual values', () => {
    expect(otlpSettingsOf(endpoint, '1')).toEqual({
      url: 'http://collector:4318/base/v1/traces',
      headers: {},
      timeoutMs: 10_000,
      isCompressed: false,
      resource: { 'service.name': 'meshd', 'service.version': '1' },
    });
  });

  test('takes the variables for traces before those for everything', () => {
    const environment = {
      ...endpoint,
      ...{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://other/path', OTEL_EXPORTER_OTLP_HEADERS: 'a=1,b=x%20y' },
      ...{ OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=2', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '5' },
      ...{ OTEL_EXPORTER_OTLP_TIMEOUT: '7', OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip' },
      ...{ OTEL_SERVICE_NAME: 'mine', OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,zone=a' },
    };
    expect(otlpSettingsOf(environment, '1')).toEqual({
      ...{ url: 'https://other/path', headers: { a: '2', b: 'x y' }, timeoutMs: 5, isCompressed: true },
      resource: { 'service.name': 'mine', 'service.version': '1', zone: 'a' },
    });
  });

  test.each<[Readonly<Record<string, string>>, RegExp]>([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /OTEL_EXPORTER_OTLP_ENDPOINT is a URL/],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a:secret@b' }, /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is a URL[^@]*$/],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL is http\/json, not "grpc"/],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: '/key' },
      /not supported: OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY/,
    ],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, /whole number of milliseconds, not "10s"/],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, /^OTEL_EXPORTER_OTLP_HEADERS is key=value[^"]*$/],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'a=%0d%0ab' }, /OTEL_EXPORTER_OTLP_HEADERS is key=value/],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER is otlp or none, not "zipkin"/],
  ])('refuses %j', (environment, message) => {
    expect(() => otlpSettingsOf(environment, '1')).toThrow(message);
  });
});
