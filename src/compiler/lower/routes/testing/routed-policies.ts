import type { RoutedRequest } from '../../testing/outbound-gate.ts';

/** A VirtualService for `reviews.example` with these HTTP routes (YAML, flow style). */
export const routes = (http: string, name = 'reviews'): string => `apiVersion: networking.mesh.io/v1alpha3
kind: VirtualService
metadata: {name: ${name}, namespace: a}
spec:
  hosts: [reviews.example]
  http: ${http}
`;

/** A route to a service, or to one subset of it. */
export const to = (host: string, subset?: string): string =>
  `route: [{destination: {host: ${host}.example${subset === undefined ? '' : `, subset: ${subset}`}}}]`;

/** The first version of reviews, and ratings. */
export const v1 = to('reviews', 'v1');
export const ratings = to('ratings');

/** A request for a path. */
export const path = (text: string): RoutedRequest => ({ path: text });
