/**
 * @file Orders and how they travel.
 */
import { Bus } from "./bus";
import type { Clock } from "./clock";

export * from "./parcels";
export { Van as Lorry, type Road } from "./roads";

/** The largest order. */
export const MAX_ITEMS = 500;
export const defaults: Readonly<Options> = { retries: 3, slow: false, name: "standard delivery with a long name" };
const hidden = 4;

/** Where an order is. */
export type Place = "shop" | "road" | { street: string; house?: number };

export interface Options extends Base<string> {
  /** How often to try again. */
  retries: number;
  readonly name?: string;
  slow: boolean;
  onDone(order: Order, ...rest: string[]): void;
  (input: string): number;
  new (input: string): Options;
  [key: string]: unknown;
}

export interface Parcel<
  /** What is in it. */
  out Value,
  in Weight extends number = number,
> {
  open(): Value;
}

export enum State {
  Open = "open",
  Sent = "sent",
  Lost,
}

/** An order that somebody made. */
export abstract class Order<T extends object = {}> extends Thing implements Base<T> {
  static count = 0;
  public readonly id: string;
  protected state: State = State.Open;
  private secret = 1;
  #hash = "";

  constructor(id: string, private clock: Clock) {
    super();
    this.id = id;
  }

  /** Sends it off. */
  async send(to: Place, options?: Partial<Options>): Promise<void> {
    await this.pack();
  }

  send2(to: string): void;
  send2(to: number): void;
  send2(to: unknown): void {
    console.log(to);
  }

  get size(): number {
    return 1;
  }

  abstract price(): number;

  private pack(): void {}

  handle = (event: Event): boolean => {
    return event !== null;
  };
}

export function total(orders: Order[]): number;
export function total(orders: Iterable<Order>, start?: number): number;
export function total(orders: any, start = 0): number {
  const inner = (x: number) => x;
  return inner(start);
}

/** Makes an order. */
export const make = async <T extends object>(
  id: string,
  extra: T,
): Promise<Order<T>> => {
  throw new Error(id);
};

function helper(): void {}

export namespace Routes {
  export const home = "/";
  export function of(order: Order): string {
    return order.id;
  }
}

declare module "bus" {
  export function ride(line: number): void;
}

declare global {
  interface Window {
    orders: Order[];
  }
}

export default class Shop {
  open(): void {}
  close(): void {}
}
