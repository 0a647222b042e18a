// The cart beside the conversation.
import { useCart } from "./cart.js";
import { euros } from "./products.js";

export function CartPanel() {
  const { lines, discount, sum, total } = useCart();
  return (
    <section className="panel" aria-label="Cart">
      <h2>Cart</h2>
      {lines.length === 0 && <p className="quiet">Nothing in it yet.</p>}
      <ul className="lines">
        {lines.map(({ product, quantity }) => (
          <li key={product.id}>
            <span>
              {quantity} × {product.name}
            </span>
            <span>{euros(product.price * quantity)}</span>
          </li>
        ))}
        {discount > 0 && (
          <li className="quiet">
            <span>Discount, {discount}%</span>
            <span>−{euros(sum - total)}</span>
          </li>
        )}
      </ul>
      <p className="total" aria-live="polite">
        <span>Total</span> <strong>{euros(total)}</strong>
      </p>
    </section>
  );
}
