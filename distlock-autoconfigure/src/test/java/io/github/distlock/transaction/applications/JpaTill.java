package io.github.distlock.transaction.applications;

import org.springframework.transaction.annotation.Transactional;

/**
 * A till that changes an entity, whose SQL is sent at the commit.
 */
@Transactional
class JpaTill implements Till {

	private final Books books;

	JpaTill(Books books) {
		this.books = books;
	}

	@Override
	public void sell(Sale sale) {
		sale.entered().run();
		Book book = this.books.findById(1L).orElseThrow();
		sale.read().run();
		book.sell(sale.amount());
	}

	@Override
	public void sellBriefly(Sale sale) {
		sell(sale);
	}

}
