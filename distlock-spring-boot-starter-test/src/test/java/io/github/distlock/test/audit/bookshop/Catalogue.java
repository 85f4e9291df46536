package io.github.distlock.test.audit.bookshop;

import java.util.List;

import io.github.distlock.DistributedLock;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;

import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The books and their copies.
 */
@Service
class Catalogue {

	private final Books books;

	Catalogue(Books books) {
		this.books = books;
	}

	@DistributedLock("'book-' + #id")
	@Transactional
	public void take(long id) {
		Book book = this.books.findById(id).orElseThrow();
		if (book.copies == 0) {
			throw new IllegalStateException("'" + book.title + "' is sold out");
		}
		book.copies--;
	}

	@DistributedLock("'book-' + #id")
	@Transactional
	public void deliver(long id, int copies) {
		this.books.findById(id).orElseThrow().copies += copies;
	}

	/** Forgets the lock, and writes back all columns. */
	@Transactional
	public void reprice(long id, int price) {
		this.books.findById(id).orElseThrow().price = price;
	}

	@Transactional
	public void raisePrices() {
		this.books.raise(1);
	}

	@Transactional(readOnly = true)
	public List<String> titles() {
		return this.books.findAll().stream().map((book) -> book.title).toList();
	}

	interface Books extends JpaRepository<Book, Long> {

		@Modifying
		@Query("update Book b set b.price = b.price + :amount")
		void raise(int amount);

	}

	@Entity(name = "Book")
	static class Book {

		@Id
		Long id = 0L;

		String title = "";

		int copies;

		int price;

	}

}
