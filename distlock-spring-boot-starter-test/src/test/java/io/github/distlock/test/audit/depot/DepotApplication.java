package io.github.distlock.test.audit.depot;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The application.
 */
@SpringBootApplication
class DepotApplication {

}
