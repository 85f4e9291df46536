package io.github.distlock.test.audit;

import java.util.Set;

import io.github.distlock.test.audit.SqlStatement.SqlKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the words of a statement show.
 */
class SqlStatementTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					SELECT quantity FROM stock WHERE sku = ?                                | READ         | stock       |
					select s1_0.id,s1_0.x from a s1_0 left join shop.b on b.id=s1_0.id      | READ         | a,b         |
					select x from stock where id=? for no key update                        | LOCKING_READ | stock       |
					WITH old AS (SELECT id FROM a) SELECT * FROM b                          | READ         | a,b         |
					/* update t */ UPDATE "Shop"."Stock" SET quantity = ? WHERE sku = ?     | WRITE        | stock       | quantity
					update stock s1_0 set quantity=?,price=s1_0.price+? where s1_0.id=?     | WRITE        | stock       | quantity
					update stock set (quantity, price) = (?, ?) where sku = ?               | WRITE        | stock       | *
					INSERT INTO stock (sku, quantity) VALUES (?, ?)                         | INSERT       | stock       | *
					insert into stock values (?, ?) on conflict (sku) do update set quantity = excluded.quantity | WRITE | stock | quantity
					insert into stock values (?, ?) on duplicate key update quantity = 7    | WRITE        | stock       | quantity
					delete from stock where sku = ?                                         | WRITE        | stock       | *
					MERGE INTO stock (sku, quantity) KEY (sku) VALUES (?, ?)                | WRITE        | stock       | *
					with gone as (delete from a returning id) select * from b               | UNKNOWN      |             |
					with old as (select id from a) update stock set place = ?               | UNKNOWN      |             |
					with old as (select id from a) delete from stock where id in (select id from old) | UNKNOWN |            |
					with old as (select id from a) select * from b for update skip locked   | LOCKING_READ | a,b         |
					with old as (select id from a) select * from b for no key update nowait | LOCKING_READ | a,b         |
					update stock set quantity = ?, changed_at = now(), seen=current_timestamp(6) | WRITE | stock | quantity
					update stock set quantity = ?, changed_at=localtimestamp where sku = ?  | WRITE        | stock       | quantity
					{call recount(?)}                                                       | UNKNOWN      |             |
					TRUNCATE TABLE stock                                                    | UNKNOWN      |             |
					set schema shop                                                         | OTHER        |             |
					""")
	void kindTablesAndWrittenColumns(String sql, SqlKind kind, String tables, String written) {
		SqlStatement statement = SqlStatement.of(sql);
		assertThat(statement.kind()).isEqualTo(kind);
		assertThat(statement.tables()).isEqualTo(names(tables));
		assertThat(statement.written()).isEqualTo(names(written));
	}

	private static Set<String> names(String text) {
		return (text != null) ? Set.of(text.split(",")) : Set.of();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					update stock set quantity = ? where id = ?                              | ''
					update stock set quantity = ?, version = version + 1 where id = ? and version = ? | checks a version
					update stock set state = 'SOLD' where id = ? and state = 'NEW'          | checks a version
					update stock set state = ? where id = ? or state = ?                    | ''
					delete from stock where id=? and version=?                              | checks a version
					update stock s set quantity=(s.quantity-?) where s.id=?                 | adds to what is there or sets the time
					update stock s set quantity=(s.quantity+cast(? as integer)) where s.id=? | adds to what is there or sets the time
					update stock set quantity = quantity - ?, changed_at = CURRENT_TIMESTAMP where id = ? | adds to what is there or sets the time
					update stock set quantity = quantity + price where id = ?               | ''
					update stock set quantity = old + 1 where id = ?                        | ''
					insert into stock values (?)                                            | inserts
					""")
	void whyAWriteNeedsNoLock(String sql, String reason) {
		assertThat(SqlStatement.of(sql).safe()).isEqualTo(reason);
	}

	@Test
	void writesMeetInAColumnThatOneOfThemWrites() {
		SqlStatement quantity = SqlStatement.of("update stock set quantity = ? where id = ?");
		SqlStatement place = SqlStatement.of("update stock set place = ? where id = ?");
		assertThat(place.meets(quantity)).isFalse();
		assertThat(SqlStatement.of("update stock set place = ? where quantity = ?").meets(quantity)).isTrue();
		assertThat(SqlStatement.of("delete from stock where id = ?").meets(quantity)).isTrue();
		assertThat(SqlStatement.of("select * from stock").meets(quantity)).isTrue();
		assertThat(SqlStatement.of("select place from stock").meets(quantity)).isFalse();
		assertThat(SqlStatement.of("update orders set quantity = ?").meets(quantity)).isFalse();
	}

}
