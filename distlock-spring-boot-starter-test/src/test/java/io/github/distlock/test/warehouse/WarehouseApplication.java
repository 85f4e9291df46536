package io.github.distlock.test.warehouse;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * The application.
 */
@SpringBootApplication
class WarehouseApplication {

}
