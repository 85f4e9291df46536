package io.github.distlock.transaction.applications;

import io.github.distlock.LockContext;

import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

/**
 * A till with fencing tokens: raises the token of the row before it reads.
 */
@Transactional
class FencedTill implements Till {

	private final JdbcClient jdbc;

	private final Till till;

	FencedTill(JdbcClient jdbc) {
		this.jdbc = jdbc;
		this.till = new JdbcTill(jdbc);
	}

	@Override
	public void sell(Sale sale) {
		sale.entered().run();
		long token = LockContext.current().orElseThrow().fencingToken();
		int raised = this.jdbc.sql("update book set fence = :token where id = 1 and fence < :token")
			.param("token", token)
			.update();
		if (raised == 0) {
			throw new OptimisticLockingFailureException("a later holder was here");
		}
		this.till.sell(Sale.of(sale.amount()).whenRead(sale.read()));
	}

	@Override
	public void sellBriefly(Sale sale) {
		sell(sale);
	}

}
