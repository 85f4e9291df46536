package io.github.distlock.transaction.applications;

import org.springframework.data.repository.CrudRepository;

/**
 * The stock.
 */
interface Books extends CrudRepository<Book, Long> {

}
