package io.github.distlock.sample.inventory.history;

import java.util.Collections;
import java.util.List;

import io.github.distlock.sample.inventory.Deduction;
import io.github.distlock.sample.inventory.StockService;
import io.github.distlock.sample.inventory.history.StockSegments.Part;

import org.springframework.stereotype.Service;

/**
 * For a flash sale: the stock is cut into ten parts, each with a lock of its own, so ten
 * buyers are served at a time. A buyer begins at any part that is not empty, and goes on
 * to the next if it is by then.
 * <p>
 * The price: what is left has to be summed up, and the last units are looked for in ten
 * places.
 */
@Service("segments")
class SegmentedStock implements StockService {

	private final StockSegments segments;

	SegmentedStock(StockSegments segments) {
		this.segments = segments;
	}

	@Override
	public Deduction deduct(String sku) {
		for (Part part : parts(sku)) {
			// What was read without the lock is a hint; with it the part is read again.
			if (part.quantity() > 0) {
				Deduction deduction = this.segments.sell(sku, part.segment());
				if (deduction.accepted()) {
					return deduction;
				}
			}
		}
		return Deduction.soldOut();
	}

	private List<Part> parts(String sku) {
		List<Part> parts = this.segments.parts(sku);
		if (parts.isEmpty()) {
			this.segments.cut(sku);
			parts = this.segments.parts(sku);
		}
		// Not all buyers go to the same counter.
		Collections.shuffle(parts);
		return parts;
	}

}
