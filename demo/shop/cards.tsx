// What the shop's tools show in the conversation.
import { useGlove } from "glove-wasm/react";
import type { FormEvent } from "react";
import { Art } from "./art.js";
import { euros, productOf } from "./products.js";

export function ProductGrid({ ids }: { ids: readonly string[] }) {
  const sendMessage = useGlove((state) => state.sendMessage);
  return (
    <ul className="products" aria-label="Products">
      {ids.map((id) => {
        const product = productOf(id);
        if (!product) return null;
        return (
          <li key={id} className="product">
            <Art id={id} />
            <div className="product-text">
              <strong>{product.name}</strong>
              <span className="quiet">{product.note}</span>
            </div>
            <div className="product-buy">
              <span>{euros(product.price)}</span>
              <button type="button" onClick={() => sendMessage(`Add the ${product.name} to my cart`)}>
                Add<span className="heard"> the {product.name}</span>
              </button>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

export interface Delivery {
  name: string;
  street: string;
  city: string;
  speed: "standard" | "express";
}

interface CheckoutFormProps {
  total: number;
  onOrder: (delivery: Delivery) => void;
  onCancel: (reason?: string) => void;
}

export function CheckoutForm({ total, onOrder, onCancel }: CheckoutFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const field = (name: string) => String(form.get(name) ?? "").trim();
    const speed = field("speed") === "express" ? "express" : "standard";
    onOrder({ name: field("name"), street: field("street"), city: field("city"), speed });
  };
  return (
    <form className="card checkout" data-glove-question="" tabIndex={-1} aria-label="Checkout" onSubmit={submit}>
      <h2>Where should we deliver?</h2>
      <div className="fields">
        <label>
          Name
          <input name="name" required autoComplete="name" />
        </label>
        <label>
          Street
          <input name="street" required autoComplete="street-address" />
        </label>
        <label>
          City
          <input name="city" required autoComplete="address-level2" />
        </label>
        <label>
          Delivery
          <select name="speed" defaultValue="standard">
            <option value="standard">Standard, free</option>
            <option value="express">Express, €9</option>
          </select>
        </label>
      </div>
      <div data-glove-actions="">
        <button type="submit">Place order, {euros(total)}</button>
        <button type="button" onClick={() => onCancel("The customer does not want to order now.")}>
          Not now
        </button>
      </div>
    </form>
  );
}

interface ReceiptProps extends Delivery {
  number: string;
  paid: number;
  items: readonly string[];
}

export function Receipt({ number, paid, items, name, street, city }: ReceiptProps) {
  return (
    <section className="card receipt" aria-label={`Order ${number}`}>
      <h2>Order {number}</h2>
      <p>{items.join(", ")}</p>
      <p className="quiet">
        {name}, {street}, {city}
      </p>
      <p>
        <strong>{euros(paid)}</strong>
      </p>
    </section>
  );
}
