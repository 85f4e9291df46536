package io.github.distlock.transaction.applications;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

/**
 * A till without fencing tokens.
 */
@Transactional
class JdbcTill implements Till {

	private final JdbcClient jdbc;

	JdbcTill(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	@Override
	public void sell(Sale sale) {
		sale.entered().run();
		int quantity = this.jdbc.sql("select quantity from book where id = 1").query(Integer.class).single();
		sale.read().run();
		this.jdbc.sql("update book set quantity = ? where id = 1").params(quantity - sale.amount()).update();
	}

	@Override
	public void sellBriefly(Sale sale) {
		sell(sale);
	}

}
