package io.github.distlock.sample.strategies;

import java.util.Collections;
import java.util.List;

import io.github.distlock.sample.shop.StockRepository.Sale;
import io.github.distlock.sample.strategies.StockSegments.Part;

import org.springframework.stereotype.Service;

/**
 * For a flash sale: the stock is cut into ten parts, each with its own lock, so ten
 * buyers are served at a time. A buyer starts at a random part that is not empty. If it
 * is empty by then, the buyer tries the next part.
 * <p>
 * The cost: the stock is the sum of ten rows, and a buyer of the last units may have to
 * try ten parts.
 */
@Service("segments")
class SegmentedStock implements StockStrategy {

	private final StockSegments segments;

	SegmentedStock(StockSegments segments) {
		this.segments = segments;
	}

	@Override
	public Sale sell(String sku) {
		for (Part part : parts(sku)) {
			// This quantity was read without the lock; it is read again under the lock.
			if (part.quantity() > 0) {
				Sale sale = this.segments.sell(sku, part.segment());
				if (sale.accepted()) {
					return sale;
				}
			}
		}
		return Sale.soldOut();
	}

	private List<Part> parts(String sku) {
		List<Part> parts = this.segments.parts(sku);
		if (parts.isEmpty()) {
			this.segments.cut(sku);
			parts = this.segments.parts(sku);
		}
		// The buyers start at different parts.
		Collections.shuffle(parts);
		return parts;
	}

}
